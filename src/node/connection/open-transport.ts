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
import { createClusterTransport } from "./cluster-transport.js";

/** Options of `openTransport`: which cluster, as whom, and how its connections are kept. */
export interface OpenTransportOptions extends ClusterOptions, ConnectionOverrides, PoolOptions, ExecCredentialOptions {
  /** Whom to act as instead of whom the kubeconfig says. */
  readonly impersonate?: Impersonation;
  /** Writes tokens that an OIDC provider renewed back to the kubeconfig, as kubectl does. Default false: they are kept in memory. */
  readonly persistTokens?: boolean;
  /** Environment variables instead of this process's. */
  readonly env?: Environment;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** A transport to a cluster and what else the configuration said. */
export interface OpenedTransport {
  /** Carries requests with the user's credentials. */
  readonly transport: Transport;
  /** Namespace of the context, or of the pod that this runs in; `"default"` where none is said. */
  readonly namespace: string;
  /** URL of the server. */
  readonly server: string;
}

/**
 * Finds a cluster as kubectl does and makes a transport to it that logs in by itself. No request is sent yet. Rejects
 * with a `ConfigError` naming file and field.
 */
export async function openTransport(options: OpenTransportOptions = {}): Promise<OpenedTransport> {
  const { env = process.env, clock = systemClock } = options;
  const ignored =
    options.server === undefined
      ? undefined
      : (["kubeconfig", "kubeconfigText", "context", "cluster", "user"] as const).find(
          (name) => options[name] !== undefined,
        );
  if (ignored !== undefined)
    throw new ConfigError(`options.${ignored}: cannot stand beside options.server, with which no kubeconfig is read`);
  if (options.persistTokens === true && options.kubeconfigText !== undefined)
    throw new ConfigError("options.persistTokens: cannot stand beside options.kubeconfigText, which is no file");
  // Who opens a transport sends requests: what carries them is loaded while files are read, and not by the first request.
  const loaded = options.dispatcher ? undefined : loadUndici().catch(() => undefined);
  const connection = overrideConnection(
    options.server === undefined ? await findCluster(options, env) : undefined,
    options,
  );
  const credential = await createUserCredential(connection, { clock, env, settings: options });
  const transport = await createClusterTransport(connection, credential, options, { env, clock });
  await loaded;
  return { transport, namespace: connection.namespace ?? "default", server: connection.server.href };
}
