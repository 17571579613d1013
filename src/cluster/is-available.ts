import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../kinds/apps/v1.js";
import type { ReplicationController } from "../kinds/core/v1.js";
import type { DeepReadonly } from "../meta/object.js";

/** An object that keeps pods running. */
export type Workload = DaemonSet | Deployment | ReplicaSet | ReplicationController | StatefulSet;

/** The numbers of pods of all kinds of workloads. */
interface Counts {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
}

/**
 * Returns true if a workload has reached its specification: all pods run the current template and are available, and
 * others are gone. For `until`.
 *
 * @example
 * ```ts
 * import { createCluster, isAvailable } from "kubestream/cluster";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 *
 * await using cluster = await createCluster();
 * const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
 * const spec = { replicas: 3, selector: { matchLabels: { app: "web" } }, template };
 * await cluster.client.resource(Deployment).namespace("default").create({ metadata: { name: "web" }, spec });
 * await cluster.until(Deployment, "default/web", isAvailable);
 * ```
 */
export function isAvailable(workload: DeepReadonly<Workload> | undefined): boolean {
  const status = workload?.status as Counts | undefined;
  if (status === undefined || (status.observedGeneration ?? 0) < (workload?.metadata?.generation ?? 0)) return false;
  if (status.desiredNumberScheduled !== undefined) {
    const wanted = status.desiredNumberScheduled;
    return (status.updatedNumberScheduled ?? 0) >= wanted && (status.numberAvailable ?? 0) >= wanted;
  }
  const wanted = (workload?.spec as { readonly replicas?: number } | undefined)?.replicas ?? 1;
  const updated = status.updatedReplicas ?? status.replicas ?? 0;
  return updated === wanted && (status.replicas ?? 0) === wanted && (status.availableReplicas ?? 0) === wanted;
}
