import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import type { KubeconfigUser } from "./kubeconfig.js";
import type { PemSource } from "./tls-material.js";

/** Everything that is needed to reach a cluster, wherever it was found. Holds secrets: it stays inside this folder. */
export interface Connection {
  /** URL of the server. */
  readonly server: URL;
  /** What it was found in, for errors. */
  readonly where: string;
  /** Namespace of the context, or of the pod; absent where none is said. */
  readonly namespace?: string | undefined;
  /** Certificate authorities. */
  readonly ca?: PemSource | undefined;
  /** Name that the server's certificate must be for. */
  readonly tlsServerName?: string | undefined;
  /** Whether any certificate is accepted. */
  readonly insecureSkipTlsVerify: boolean;
  /** Proxy that was asked for; absent to go by the environment. */
  readonly proxyUrl?: string | undefined;
  /** Whether answers are not to be compressed. */
  readonly disableCompression: boolean;
  /** Configuration for exec plugins. */
  readonly execExtension?: unknown;
  /** Client certificate and key that the caller gave instead of those of the user. */
  readonly clientCertificate?: { readonly cert: PemSource; readonly key: PemSource } | undefined;
  /** Who is calling. */
  readonly user: KubeconfigUser;
  /** Whom to act as. */
  readonly impersonate?: Impersonation | undefined;
}
