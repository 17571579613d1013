import type { Impersonation } from "../../client/decorators/with-impersonation.js";
import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { systemClock } from "../../internal/clock.js";
import type { Transport } from "../../transport/transport.js";
import type { ExecCredentialOptions } from "../credentials/exec-credential.js";
import { createUserCredential } from "../credentials/user-credential.js";
import type { ClusterOptions } from "../kubeconfig/cluster-source.js";
import { findCluster } from "../kubeconfig/cluster-source.js";
import type { ConnectionOverrides } from "../kubeconfig/override-connection.js";
import { overrideConnection } from "../kubeconfig/override-connection.js";
import { loadUndici } from "../transport/load-undici.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { PoolOptions } from "../transport/undici-transport.js";
import { type CreatePool, createClusterTransport } from "./cluster-transport.js";

/** Options for `openTransport`: the cluster, the user and the connection pool. */
export interface OpenTransportOptions extends ClusterOptions, ConnectionOverrides, PoolOptions, ExecCredentialOptions {
  /** User to impersonate. Default: the `as` fields of the kubeconfig's user. */
  readonly impersonate?: Impersonation | undefined;
  /**
   * Writes tokens renewed by an OIDC provider back to the kubeconfig, like kubectl. Default false: renewed tokens stay
   * in memory.
   */
  readonly persistTokens?: boolean | undefined;
  /** Environment variables. Default: `process.env`. */
  readonly env?: Environment | undefined;
  /** Clock for timeouts and expiry, replaceable in tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Result of `openTransport`. */
export interface OpenedTransport {
  /** Transport that sends requests with the user's credentials. */
  readonly transport: Transport;
  /** Namespace of the context, or of the pod this process runs in. `"default"` if neither names one. */
  readonly namespace: string;
  /** URL of the server. */
  readonly server: string;
}

/**
 * Finds a cluster the way `connect` does and opens an authenticated transport to it. Use it instead of `connect` to
 * wrap the transport before you create the client. Sends no request yet. Rejects with a `ConfigError` that names the
 * file and the field.
 *
 * @example
 * ```ts
 * import { createClient } from "kubestream";
 * import { openTransport } from "kubestream/node";
 *
 * const { transport, namespace } = await openTransport({ context: "staging" });
 * const client = createClient({ transport, userAgent: "my-tool/1.0" });
 * console.log(await (await client.request({ path: "/version" })).json(), namespace);
 * await client.close();
 * ```
 */
export function openTransport(options: OpenTransportOptions = {}): Promise<OpenedTransport> {
  return openTransportWith(options, undefined);
}

/** Implements `openTransport`. `createPool` creates the transport for one set of certificates. */
export async function openTransportWith(
  options: OpenTransportOptions,
  createPool: CreatePool | undefined,
): Promise<OpenedTransport> {
  const { env = process.env, clock = systemClock } = options;
  const ignored =
    options.server === undefined
      ? undefined
      : (["kubeconfig", "kubeconfigText", "context", "cluster", "user"] as const).find(
          (name) => options[name] !== undefined,
        );
  if (ignored !== undefined)
    throw new ConfigError(`options.${ignored}: cannot be combined with options.server, which reads no kubeconfig`);
  if (options.persistTokens === true && options.kubeconfigText !== undefined)
    throw new ConfigError(
      "options.persistTokens: cannot be combined with options.kubeconfigText, which has no file to write to",
    );
  // A transport is opened to send requests: load undici while the files are read instead of in the first request.
  const loaded = options.dispatcher ? undefined : loadUndici().catch(() => undefined);
  const connection = overrideConnection(
    options.server === undefined ? await findCluster(options, env) : undefined,
    options,
  );
  const credential = await createUserCredential(connection, { clock, env, settings: options });
  const transport = await createClusterTransport(connection, credential, options, { env, clock, createPool });
  await loaded;
  return { transport, namespace: connection.namespace ?? "default", server: connection.server.href };
}
