import { ConfigError } from "../../errors/errors.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { Connection } from "./connection.js";
import { findInCluster } from "./in-cluster.js";
import { loadKubeconfigFiles, readKubeconfigText } from "./kubeconfig-files.js";
import type { ContextOptions } from "./select-context.js";
import { selectContext } from "./select-context.js";

/** Options that select the cluster: kubeconfig files or text, and the context. */
export interface ClusterOptions extends ContextOptions {
  /**
   * Kubeconfig file, or several to merge. Default: the files in `KUBECONFIG`, else `~/.kube/config`, else the pod's
   * service account.
   */
  readonly kubeconfig?: string | readonly string[] | undefined;
  /**
   * Text of a kubeconfig (YAML or JSON), instead of files. Relative paths in it are resolved against the working
   * directory.
   */
  readonly kubeconfigText?: string | undefined;
}

/**
 * Finds the cluster the way kubectl does. Rejects with a `ConfigError` that names the file and the field, or lists the
 * places that were searched.
 */
export async function findCluster(options: ClusterOptions, env: Environment): Promise<Connection> {
  if (options.kubeconfigText !== undefined)
    return selectContext(await readKubeconfigText(options.kubeconfigText, options.kubeconfig), options);
  const { content, missing } = await loadKubeconfigFiles(options.kubeconfig, env);
  const empty =
    content.clusters.size === 0 &&
    content.contexts.size === 0 &&
    content.users.size === 0 &&
    content.currentContext === undefined;
  if (!empty || options.kubeconfig !== undefined) {
    if (empty) throw new ConfigError(`${content.files.join(", ")}: contains no cluster, user or context`);
    return selectContext(content, options);
  }
  if (options.context !== undefined || options.cluster !== undefined || options.user !== undefined) {
    throw new ConfigError(
      `options.context, options.cluster and options.user need a kubeconfig, but none was found: tried ${[...missing, ...content.files].join(", ")}`,
    );
  }
  const inCluster = await findInCluster(env);
  if (inCluster) return options.namespace === undefined ? inCluster : { ...inCluster, namespace: options.namespace };
  throw new ConfigError(
    `no cluster is configured: tried ${[...missing, ...content.files].join(", ")} and the pod's service account (KUBERNETES_SERVICE_HOST is not set)`,
  );
}
