export { connect } from "./connect.js";
export { copyFromPod, copyToPod } from "./copy-files.js";
export { forwardPorts } from "./forward-ports.js";
export { listContexts } from "./list-contexts.js";
export { openTransport } from "./open-transport.js";
export { createUndiciTransport } from "./undici-transport.js";

export type { ClusterChoice } from "./cluster-source.js";
export type { ConnectedClient, ConnectOptions } from "./connect.js";
export type { CopyOptions } from "./copy-files.js";
export type { ExecSettings } from "./exec-credential.js";
export type { ForwardedPort, ForwardPortsOptions, PortForward } from "./forward-ports.js";
export type { Environment } from "./kubeconfig-files.js";
export type { ContextSummary, ListContextsOptions } from "./list-contexts.js";
export type { OpenedTransport, OpenTransportOptions } from "./open-transport.js";
export type { ConnectionOverrides } from "./override-connection.js";
export type { ContextChoice } from "./select-context.js";
export type { PoolSettings, TlsOptions, UndiciTransport, UndiciTransportOptions } from "./undici-transport.js";
