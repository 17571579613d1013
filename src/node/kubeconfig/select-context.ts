import { ConfigError } from "../../errors/errors.js";
import { parseServerUrl } from "../transport/undici-transport.js";
import type { Connection } from "./connection.js";
import { encodeImpersonation } from "./impersonation.js";
import type { KubeconfigCluster, KubeconfigContent, KubeconfigContext, KubeconfigUser } from "./kubeconfig.js";
import { failUnknown, quote } from "./kubeconfig.js";

/**
 * Options that override the current context of a kubeconfig.
 *
 * @example
 * ```ts
 * import type { ContextOptions } from "kubestream/node";
 * import { connect } from "kubestream/node";
 *
 * const target: ContextOptions = { context: "staging", namespace: "web" };
 * const client = await connect(target);
 * await client.close();
 * ```
 */
export interface ContextOptions {
  /** Name of the context. Default: the kubeconfig's `current-context`. */
  readonly context?: string | undefined;
  /** Name of the cluster. Default: the context's. */
  readonly cluster?: string | undefined;
  /** Name of the user. Default: the context's. */
  readonly user?: string | undefined;
  /** Default namespace of the client. Default: the context's. */
  readonly namespace?: string | undefined;
}

/**
 * Returns the connection that the options select. Throws a `ConfigError` that names the file and the field, or lists
 * the known names.
 */
export function selectContext(content: KubeconfigContent, options: ContextOptions): Connection {
  const where = content.files.join(", ") || "kubeconfig";
  const context = findContext(content, options, where);
  const clusterName = options.cluster ?? context?.cluster;
  const userName = options.user ?? context?.user;
  if (clusterName === undefined) throw new ConfigError(`${context?.where ?? where}: cluster is required`);
  const cluster =
    content.clusters.get(clusterName) ??
    failUnknown(
      "cluster",
      clusterName,
      content.clusters.keys(),
      options.cluster === undefined && context ? context.where : where,
    );
  if (userName !== undefined && !content.users.has(userName))
    failUnknown("user", userName, content.users.keys(), options.user === undefined && context ? context.where : where);
  const user = (userName === undefined ? undefined : content.users.get(userName)) ?? { where, file: where };
  return {
    ...connectionOf(cluster, user),
    namespace: options.namespace ?? context?.namespace,
  };
}

function findContext(
  content: KubeconfigContent,
  options: ContextOptions,
  where: string,
): KubeconfigContext | undefined {
  const name = options.context ?? content.currentContext;
  if (name === undefined) {
    if (options.cluster !== undefined) return undefined;
    throw new ConfigError(
      `${where}: current-context is not set: set it or pass options.context; ${describeContexts(content)}`,
    );
  }
  return (
    content.contexts.get(name) ??
    failUnknown(
      "context",
      name,
      content.contexts.keys(),
      options.context === undefined ? `${where}: current-context` : where,
    )
  );
}

function describeContexts(content: KubeconfigContent): string {
  return content.contexts.size === 0
    ? "no contexts are defined"
    : `available: ${[...content.contexts.keys()].slice(0, 10).map(quote).join(", ")}`;
}

function connectionOf(cluster: KubeconfigCluster, user: KubeconfigUser): Connection {
  return {
    server: serverOf(cluster, user),
    where: cluster.where,
    tlsServerName: cluster.tlsServerName,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
    proxyUrl: cluster.proxyUrl,
    disableCompression: cluster.disableCompression,
    execExtension: cluster.execExtension,
    ca: caOf(cluster),
    user,
    impersonate: impersonationOf(user),
  };
}

function caOf(cluster: KubeconfigCluster): Connection["ca"] {
  if (cluster.caData) return { where: `${cluster.where}.certificate-authority-data`, data: cluster.caData };
  return cluster.caFile === undefined
    ? undefined
    : { where: `${cluster.where}.certificate-authority`, file: cluster.caFile };
}

function serverOf(cluster: KubeconfigCluster, user: KubeconfigUser): URL {
  const { server } = cluster;
  if (server === undefined) throw new ConfigError(`${cluster.where}.server: is required`);
  const secure =
    Boolean(cluster.caData ?? cluster.caFile ?? user.certData ?? user.certFile) || cluster.insecureSkipTlsVerify;
  try {
    return parseServerUrl(
      /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `${secure ? "https" : "http"}://${server}`,
    );
  } catch (error) {
    throw new ConfigError(`${cluster.where}.server: ${(error as Error).message}`);
  }
}

function impersonationOf(user: KubeconfigUser): Connection["impersonate"] {
  const { impersonate } = user;
  if (!impersonate) return undefined;
  // Without a user, kubectl silently ignores groups and uid. The request would then run with the caller's own rights.
  if (impersonate.user === undefined)
    throw new ConfigError(`${user.where}.as: is required when as-uid, as-groups or as-user-extra is set`);
  const as = { ...impersonate, user: impersonate.user };
  try {
    encodeImpersonation(as);
  } catch (error) {
    throw new ConfigError(`${user.where}: ${(error as Error).message}`);
  }
  return as;
}
