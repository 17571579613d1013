import { createInformer } from "../cache/informer/create-informer.js";
import { waitForStore } from "../cache/informer/wait-for.js";
import type { ListWatch } from "../client/resource/collection.js";
import { KubestreamError } from "../errors/kubestream-error.js";
import { type Clock, systemClock } from "../internal/clock.js";
import type { DaemonSet, Deployment, StatefulSet } from "../kinds/apps/v1.js";
import type { DeepReadonly } from "../meta/object.js";

/** State of a rollout. */
export interface RolloutProgress {
  /** True when the rollout is complete. */
  readonly done: boolean;
  /** Description for people. */
  readonly message: string;
  /** Number of pods that the rollout has to replace or create. */
  readonly wanted: number;
  /** Number of pods with the current template. */
  readonly updated: number;
  /** Number of pods that serve: available ones, or ready ones of a StatefulSet. */
  readonly available: number;
}

/** Options for `rolloutStatus`. */
export interface RolloutStatusOptions {
  /** Maximum duration in milliseconds. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Signal that ends the iteration with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** A workload with rollouts. */
export type RolloutWorkload = DaemonSet | Deployment | StatefulSet;

/**
 * Follows the rollout of a Deployment, DaemonSet or StatefulSet until it's complete, by the rules of
 * `kubectl rollout status`. Yields the progress at first and whenever it changes; the last one is `done`.
 *
 * Throws a `KubestreamError` if the workload doesn't exist, if a Deployment exceeds its progress deadline, if the update
 * strategy is `OnDelete`, or after `timeoutMs`.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { rolloutStatus, setImages } from "kubestream/operations";
 *
 * const client = await connect();
 * const deployments = client.resource(Deployment).namespace("web");
 * await setImages(deployments, "shop", { app: "registry.example.com/shop:1.4.2" });
 * for await (const { message, available, wanted } of rolloutStatus(deployments, "shop", { timeoutMs: 300_000 }))
 *   console.log(`${available}/${wanted}`, message);
 * ```
 */
export async function* rolloutStatus<T extends RolloutWorkload>(
  workloads: ListWatch<T>,
  name: string,
  options: RolloutStatusOptions = {},
): AsyncGenerator<RolloutProgress, void, undefined> {
  const { clock = systemClock, signal, timeoutMs } = options;
  const deadline = clock.monotonic() + (timeoutMs ?? Number.POSITIVE_INFINITY);
  const informer = createInformer(workloads, { clock, fieldSelector: `metadata.name=${name}` });
  try {
    let last: RolloutProgress | undefined;
    do {
      let next: RolloutProgress | undefined;
      const isNews = (): boolean => {
        const workload = informer.store.list().find((each) => each.metadata?.name === name);
        if (workload === undefined) throw new KubestreamError(`rollout status: ${JSON.stringify(name)} doesn't exist`);
        next = progressOf(workload, name);
        return JSON.stringify(next) !== JSON.stringify(last);
      };
      const remaining =
        deadline === Number.POSITIVE_INFINITY ? {} : { timeoutMs: Math.max(1, deadline - clock.monotonic()) };
      await waitForStore(informer, isNews, { clock, signal, ...remaining });
      last = next!;
      yield last;
    } while (!last.done);
  } finally {
    await informer.close();
  }
}

function progressOf(workload: DeepReadonly<RolloutWorkload>, name: string): RolloutProgress {
  const { metadata, status } = workload;
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  if (isDaemonSet(workload)) return daemonSetProgress(workload, name, isObserved);
  return isStatefulSet(workload)
    ? statefulSetProgress(workload as DeepReadonly<StatefulSet>, name, isObserved)
    : deploymentProgress(workload as DeepReadonly<Deployment>, name, isObserved);
}

/** Numbers of pods of a specification that the controller has not seen. Its conditions are those of the one before. */
function unobserved(counts: Pick<RolloutProgress, "wanted" | "updated" | "available">): RolloutProgress {
  return { ...counts, done: false, message: "the new specification is not observed yet" };
}

/** Items of lists have no kind. */
function isDaemonSet(workload: DeepReadonly<RolloutWorkload>): workload is DeepReadonly<DaemonSet> {
  return workload.status !== undefined && "desiredNumberScheduled" in workload.status;
}

function isStatefulSet(workload: DeepReadonly<RolloutWorkload>): boolean {
  return workload.spec !== undefined && "podManagementPolicy" in workload.spec;
}

function deploymentProgress(
  { spec, status }: DeepReadonly<Deployment>,
  name: string,
  isObserved: boolean,
): RolloutProgress {
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0 } = status ?? {};
  const wanted = spec?.replicas ?? 1;
  const counts = { wanted, updated, available };
  if (!isObserved) return unobserved(counts);
  if (status?.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded"))
    throw new KubestreamError(`rollout status: deployment ${JSON.stringify(name)} exceeded its progress deadline`);
  if (updated < wanted) return { ...counts, done: false, message: `${updated} of ${wanted} replicas are updated` };
  if (replicas > updated)
    return { ...counts, done: false, message: `${replicas - updated} old replicas have yet to end` };
  if (available < updated)
    return { ...counts, done: false, message: `${available} of ${updated} updated replicas are available` };
  return { ...counts, done: true, message: `all ${wanted} replicas are updated and available` };
}

function daemonSetProgress(
  { spec, status }: DeepReadonly<DaemonSet>,
  name: string,
  isObserved: boolean,
): RolloutProgress {
  requireRolling(spec?.updateStrategy?.type, name);
  const wanted = status?.desiredNumberScheduled ?? 0;
  const { updatedNumberScheduled: updated = 0, numberAvailable: available = 0 } = status ?? {};
  const counts = { wanted, updated, available };
  if (!isObserved) return unobserved(counts);
  if (updated < wanted) return { ...counts, done: false, message: `${updated} of ${wanted} pods are updated` };
  if (available < wanted) return { ...counts, done: false, message: `${available} of ${wanted} pods are available` };
  return { ...counts, done: true, message: `all ${wanted} pods are updated and available` };
}

function statefulSetProgress(
  { spec, status }: DeepReadonly<StatefulSet>,
  name: string,
  isObserved: boolean,
): RolloutProgress {
  requireRolling(spec?.updateStrategy?.type, name);
  const replicas = spec?.replicas ?? 1;
  const rolling = spec?.updateStrategy?.rollingUpdate;
  const wanted = Math.max(0, replicas - (rolling?.partition ?? 0));
  const { readyReplicas: available = 0, updatedReplicas: updated = 0, currentRevision, updateRevision } = status ?? {};
  const counts = { wanted, updated, available };
  if (!isObserved) return unobserved(counts);
  if (available < replicas) return { ...counts, done: false, message: `${available} of ${replicas} pods are ready` };
  if (rolling !== undefined && updated < wanted)
    return { ...counts, done: false, message: `${updated} of ${wanted} pods are updated` };
  // The server adds a partition, except to a strategy that only has a type.
  if (rolling === undefined && updateRevision !== currentRevision)
    return { ...counts, done: false, message: `${updated} of ${wanted} pods have the revision ${updateRevision}` };
  return { ...counts, done: true, message: `${updated} pods are updated and ready` };
}

function requireRolling(type: string | undefined, name: string): void {
  if (type !== undefined && type !== "RollingUpdate")
    throw new KubestreamError(
      `rollout status: ${JSON.stringify(name)} has the update strategy ${type}, not RollingUpdate`,
    );
}
