export type { SnapshotStorage } from "../meta/snapshot-storage.js";
export type { ConnectedClient, ConnectOptions } from "./connection/connect.js";
export { connect } from "./connection/connect.js";
export type { OpenedTransport, OpenTransportOptions } from "./connection/open-transport.js";
export { openTransport } from "./connection/open-transport.js";
export type { ExecCredentialOptions } from "./credentials/exec-credential.js";
export type { ClusterOptions } from "./kubeconfig/cluster-source.js";
export type { ContextSummary, ListContextsOptions } from "./kubeconfig/list-contexts.js";
export { listContexts } from "./kubeconfig/list-contexts.js";
export type { ConnectionOverrides } from "./kubeconfig/override-connection.js";
export type { ContextOptions } from "./kubeconfig/select-context.js";
export { createProcessMetrics } from "./operator/process-metrics.js";
export type { OperationsOptions, OperationsServer } from "./operator/serve-operations.js";
export { serveOperations } from "./operator/serve-operations.js";
export type { CopyOptions } from "./pods/copy-files.js";
export { copyFromPod, copyToPod } from "./pods/copy-files.js";
export type { ForwardedPort, ForwardPortsOptions, PortForward } from "./pods/forward-ports.js";
export { forwardPorts } from "./pods/forward-ports.js";
export { type ProxyHandlers, proxyHandlers } from "./proxy/proxy-handlers.js";
export { type ServedProxy, type ServeProxyOptions, serveProxy } from "./proxy/serve-proxy.js";
export { createFileStorage } from "./snapshots/file-storage.js";
export type { Environment } from "./transport/proxy-environment.js";
export type {
  PoolOptions,
  TlsOptions,
  UndiciTransport,
  UndiciTransportOptions,
} from "./transport/undici-transport.js";
export { createUndiciTransport } from "./transport/undici-transport.js";
export type { CaBundleTargets } from "./webhooks/ca-bundles.js";
export type { CertificateFiles } from "./webhooks/file-certificate.js";
export type { ManagedCertificate } from "./webhooks/secret-certificate.js";
export type { ServeWebhooksOptions, WebhookServer } from "./webhooks/serve-webhooks.js";
export { serveWebhooks } from "./webhooks/serve-webhooks.js";
export type { DecodingWorkerStatus } from "./worker/worker-link.js";
export { createDecodingWorkerMetrics } from "./worker/worker-metrics.js";
