import type { Environment } from "../transport/proxy-environment.js";
import { loadKubeconfigFiles, readKubeconfigText } from "./kubeconfig-files.js";

/** Options of `listContexts`. */
export interface ListContextsOptions {
  /** Kubeconfig file, or several to merge. Default: those of `KUBECONFIG`, else `~/.kube/config`. */
  readonly kubeconfig?: string | readonly string[];
  /** Content of a kubeconfig instead of files. */
  readonly kubeconfigText?: string;
  /** Environment variables instead of this process's. */
  readonly env?: Environment;
}

/** A context of a kubeconfig, without anything secret. */
export interface ContextSummary {
  /** Its name, for `connect({ context })`. */
  readonly name: string;
  /** Whether it is the current one. */
  readonly current: boolean;
  /** Name of its cluster. */
  readonly cluster?: string;
  /** URL of the cluster's server, without a user name and password, which no server's URL may hold. */
  readonly server?: string;
  /** Name of its user. */
  readonly user?: string;
  /** Its namespace. */
  readonly namespace?: string;
}

/** The contexts that `connect` could use, in the order of the files; none if there is no file. Rejects with a `ConfigError` naming file and field. */
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
