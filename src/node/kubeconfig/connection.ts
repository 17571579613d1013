import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import type { KubeconfigUser } from "./kubeconfig.js";
import type { PemSource } from "./tls-material.js";

/**
 * Everything needed to reach a cluster, whether it comes from a kubeconfig, a pod or options. Holds secrets: never hand
 * it out.
 */
export interface Connection {
  /** URL of the server. */
  readonly server: URL;
  /** Source of the settings, for errors. */
  readonly where: string;
  /** Namespace of the context or of the pod; absent if neither names one. */
  readonly namespace?: string | undefined;
  /** Trusted certificate authorities. */
  readonly ca?: PemSource | undefined;
  /** Host name that the server's certificate must match. */
  readonly tlsServerName?: string | undefined;
  /** True to accept any server certificate. */
  readonly insecureSkipTlsVerify: boolean;
  /** Proxy URL; absent to use the environment's. */
  readonly proxyUrl?: string | undefined;
  /** True to request uncompressed responses. */
  readonly disableCompression: boolean;
  /** Configuration for exec plugins. */
  readonly execExtension?: unknown;
  /** Client certificate and key from the options. They replace those of the user. */
  readonly clientCertificate?: { readonly cert: PemSource; readonly key: PemSource } | undefined;
  /** User whose credentials are used. */
  readonly user: KubeconfigUser;
  /** User to impersonate. */
  readonly impersonate?: Impersonation | undefined;
}
