import { ConfigError } from "../../errors/errors.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { Connection } from "./connection.js";
import { findInCluster } from "./in-cluster.js";
import { loadKubeconfigFiles, readKubeconfigText } from "./kubeconfig-files.js";
import type { ContextChoice } from "./select-context.js";
import { selectContext } from "./select-context.js";

/** Which cluster to use. */
export interface ClusterChoice extends ContextChoice {
  /** Kubeconfig file, or several to merge. Default: those of `KUBECONFIG`, else `~/.kube/config`, else the pod's own cluster. */
  readonly kubeconfig?: string | readonly string[] | undefined;
  /** Content of a kubeconfig, YAML or JSON, instead of files. Relative paths in it belong to the working directory. */
  readonly kubeconfigText?: string | undefined;
}

/** Finds the cluster as kubectl does. Rejects with a `ConfigError` that names file and field, or all the places where nothing was found. */
export async function findCluster(choice: ClusterChoice, env: Environment): Promise<Connection> {
  if (choice.kubeconfigText !== undefined)
    return selectContext(await readKubeconfigText(choice.kubeconfigText, choice.kubeconfig), choice);
  const { content, missing } = await loadKubeconfigFiles(choice.kubeconfig, env);
  const empty =
    content.clusters.size === 0 &&
    content.contexts.size === 0 &&
    content.users.size === 0 &&
    content.currentContext === undefined;
  if (!empty || choice.kubeconfig !== undefined) {
    if (empty) throw new ConfigError(`${content.files.join(", ")}: holds no cluster, user or context`);
    return selectContext(content, choice);
  }
  if (choice.context !== undefined || choice.cluster !== undefined || choice.user !== undefined) {
    throw new ConfigError(
      `there is no kubeconfig to find the context in: looked for ${[...missing, ...content.files].join(", ")}`,
    );
  }
  const inCluster = await findInCluster(env);
  if (inCluster) return choice.namespace === undefined ? inCluster : { ...inCluster, namespace: choice.namespace };
  throw new ConfigError(
    `no cluster is configured: looked for ${[...missing, ...content.files].join(", ")} and for a pod's service account (KUBERNETES_SERVICE_HOST is not set)`,
  );
}
