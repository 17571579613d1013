import { ConfigError } from "../../errors/errors.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { Connection } from "./connection.js";
import { findInCluster } from "./in-cluster.js";
import { loadKubeconfigFiles, readKubeconfigText } from "./kubeconfig-files.js";
import type { ContextOptions } from "./select-context.js";
import { selectContext } from "./select-context.js";

/** Options that select the cluster: kubeconfig files or content, and the context. */
export interface ClusterOptions extends ContextOptions {
  /** Kubeconfig file, or several to merge. Default: those of `KUBECONFIG`, else `~/.kube/config`, else the pod's own cluster. */
  readonly kubeconfig?: string | readonly string[] | undefined;
  /** Content of a kubeconfig, YAML or JSON, instead of files. Relative paths in it belong to the working directory. */
  readonly kubeconfigText?: string | undefined;
}

/** Finds the cluster as kubectl does. Rejects with a `ConfigError` that names file and field, or all the places where nothing was found. */
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
    if (empty) throw new ConfigError(`${content.files.join(", ")}: holds no cluster, user or context`);
    return selectContext(content, options);
  }
  if (options.context !== undefined || options.cluster !== undefined || options.user !== undefined) {
    throw new ConfigError(
      `there is no kubeconfig to find the context in: looked for ${[...missing, ...content.files].join(", ")}`,
    );
  }
  const inCluster = await findInCluster(env);
  if (inCluster) return options.namespace === undefined ? inCluster : { ...inCluster, namespace: options.namespace };
  throw new ConfigError(
    `no cluster is configured: looked for ${[...missing, ...content.files].join(", ")} and for a pod's service account (KUBERNETES_SERVICE_HOST is not set)`,
  );
}
