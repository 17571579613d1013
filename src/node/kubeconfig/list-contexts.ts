import type { Environment } from "../transport/proxy-environment.js";
import { loadKubeconfigFiles, readKubeconfigText } from "./kubeconfig-files.js";

/** Options for `listContexts`. */
export interface ListContextsOptions {
  /** Kubeconfig file, or several to merge. Default: the files in `KUBECONFIG`, else `~/.kube/config`. */
  readonly kubeconfig?: string | readonly string[] | undefined;
  /** Text of a kubeconfig (YAML or JSON), instead of files. */
  readonly kubeconfigText?: string | undefined;
  /** Environment variables. Default: `process.env`. */
  readonly env?: Environment | undefined;
}

/** Context of a kubeconfig, without secrets. */
export interface ContextSummary {
  /** Name of the context. Pass it to `connect({ context })`. */
  readonly name: string;
  /** True for the kubeconfig's current context. */
  readonly current: boolean;
  /** Name of the cluster entry. */
  readonly cluster?: string | undefined;
  /** URL of the cluster's server, without user name and password. */
  readonly server?: string | undefined;
  /** Name of the user entry. */
  readonly user?: string | undefined;
  /** Default namespace of the context. */
  readonly namespace?: string | undefined;
}

/**
 * Lists the contexts that `connect` accepts, in the order of the files. Returns an empty list if no file exists.
 * Rejects with a `ConfigError` that names the file and the field.
 *
 * @example
 * ```ts
 * import { listContexts } from "kubestream/node";
 *
 * for (const { name, current, server } of await listContexts()) console.log(current ? "*" : " ", name, server);
 * ```
 */
export async function listContexts(options: ListContextsOptions = {}): Promise<readonly ContextSummary[]> {
  const { kubeconfig, kubeconfigText, env = process.env } = options;
  const content =
    kubeconfigText === undefined
      ? (await loadKubeconfigFiles(kubeconfig, env)).content
      : await readKubeconfigText(kubeconfigText, kubeconfig);
  return [...content.contexts].map(([name, { cluster, user, namespace }]) => {
    const server = cluster === undefined ? undefined : content.clusters.get(cluster)?.server;
    return {
      name,
      current: name === content.currentContext,
      ...(cluster !== undefined && { cluster }),
      ...(server !== undefined && { server: server.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, "$1") }),
      ...(user !== undefined && { user }),
      ...(namespace !== undefined && { namespace }),
    };
  });
}
