import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { Deployment, ReplicaSet, StatefulSet } from "../../../kinds/apps/v1.js";
import { Pod, ReplicationController } from "../../../kinds/core/v1.js";
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from "../../../kinds/policy/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { Time } from "../../../meta/scalars.js";
import { formatTime, parseTime } from "../../../meta/time.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { batched } from "../shared/batched.js";
import { intOrPercent } from "../shared/int-or-percent.js";
import { isReady } from "../shared/pods.js";
import { writeStatus } from "../shared/write-status.js";

/** Time in milliseconds that an eviction may take to delete its pod. */
const evictionMs = 120_000;
/** Time in milliseconds after which a pod that is as new as an eviction counts as the successor of the evicted one. */
const successorMs = 2_000;

/** Number of pods that a budget expects, and that must stay healthy. */
interface Expectation {
  readonly expected: number;
  readonly desired: number;
  readonly unmanaged: boolean;
}

/**
 * Creates the controller that counts the disruptions that each PodDisruptionBudget allows.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets
 */
export function createDisruptionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const budgets = context.cache(PodDisruptionBudget);
  const events = context.recorder("controllermanager");
  const replicasOf = scaleLookup(context);

  return createController({
    name: "disruption",
    for: client.resource(PodDisruptionBudget),
    watches: [
      batched(
        kindSource(
          client.resource(Pod),
          enqueueMapped((pod) => {
            const { namespace = "", name = "", labels } = pod.metadata!;
            const matching = budgets.store
              .list({ namespace })
              .filter(({ spec }) => matchesLabelSelector(spec?.selector, labels));
            if (matching.length > 1) {
              const note = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${matching[0]!.metadata!.name!}" arbitrarily.`;
              events.event(pod, { type: "Warning", reason: "MultiplePodDisruptionBudgets", note });
            }
            return matching.map((budget) => ({ namespace, name: budget.metadata!.name! }));
          }),
        ),
        context,
      ),
      ...[Deployment, ReplicaSet, StatefulSet, ReplicationController].map((kind) =>
        kindSource(
          client.resource(kind as typeof Deployment),
          enqueueMapped(({ metadata }) =>
            budgets.store
              .list({ namespace: metadata!.namespace! })
              .map((budget) => ({ namespace: metadata!.namespace!, name: budget.metadata!.name! })),
          ),
          {
            predicates: [
              (change) => change.type !== "updated" || change.object.spec?.replicas !== change.old.spec?.replicas,
            ],
          },
        ),
      ),
    ],
    clock,
    log,
    async reconcile({ namespace }, call) {
      const { object: budget } = call;
      if (budget === undefined) return undefined;
      const selected = pods.store
        .list({ namespace })
        .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata?.labels));
      const handle = client.resource(PodDisruptionBudget).namespace(namespace);
      if (selected.length === 0) events.event(budget, { reason: "NoPods", note: "No matching pods found" });
      const unscalable = countsReplicas(budget) ? unscalableOwner(selected) : undefined;
      if (unscalable !== undefined) {
        const message = `${unscalable} does not implement the scale subresource`;
        const note = `Failed to calculate the number of expected pods: ${message}`;
        events.event(budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", note });
        await writeStatus<PodDisruptionBudget>(handle, budget, failedStatus(budget, message, clock.now()), call);
        return undefined;
      }
      const expectation = expectationOf(budget, selected, replicasOf);
      if (expectation.unmanaged) {
        const note =
          "Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status of the PDB " +
          'cannot be calculated correctly. Set "spec.minAvailable" to an integer to account for these pods.';
        events.event(budget, { type: "Warning", reason: "UnmanagedPods", note });
      }
      const status = statusOf(budget, selected, expectation, clock.now());
      await writeStatus<PodDisruptionBudget>(handle, budget, status, call);
      const byName = new Map(selected.map((pod) => [pod.metadata!.name!, pod]));
      const pending = Object.entries(status.disruptedPods ?? {}).map(([name, time]) => endOf(time, byName.get(name)!));
      return pending.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...pending) - clock.now()) };
    },
  });
}

type ScaleLookup = (pod: DeepReadonly<Pod>) => { readonly uid: string; readonly replicas: number } | undefined;

/** Returns a function that finds the workload of a pod, and how many pods it should have. */
function scaleLookup(context: ClusterContext): ScaleLookup {
  const replicaSets = context.cache(ReplicaSet);
  const caches = {
    Deployment: context.cache(Deployment),
    ReplicaSet: replicaSets,
    StatefulSet: context.cache(StatefulSet),
    ReplicationController: context.cache(ReplicationController),
  };
  return (pod) => {
    const namespace = pod.metadata?.namespace ?? "";
    let owner = getControllerOwner(pod);
    if (owner?.kind === "ReplicaSet") {
      const set = replicaSets.store.get(`${namespace}/${owner.name}`);
      owner = (set && getControllerOwner(set)) ?? owner;
    }
    if (owner === undefined || !Object.hasOwn(caches, owner.kind)) return undefined;
    const found = caches[owner.kind as keyof typeof caches].store.get(`${namespace}/${owner.name}`);
    return found?.metadata?.uid === owner.uid ? { uid: owner.uid, replicas: found.spec?.replicas ?? 1 } : undefined;
  };
}

/** Resources of built-in controllers of pods that have no number of replicas. */
const unscalable: Readonly<Record<string, string>> = { DaemonSet: "daemonsets.apps", Job: "jobs.batch" };

/** Returns true if a budget depends on how many pods there should be. */
function countsReplicas({ spec }: DeepReadonly<PodDisruptionBudget>): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

/** Returns the resource of a pod's owner that has no number of replicas. */
function unscalableOwner(pods: readonly DeepReadonly<Pod>[]): string | undefined {
  for (const pod of pods) {
    const kind = getControllerOwner(pod)?.kind ?? "";
    if (Object.hasOwn(unscalable, kind)) return unscalable[kind];
  }
  return undefined;
}

/** Returns the status of a budget whose pods can't be counted: it allows no disruption. */
function failedStatus(
  { status }: DeepReadonly<PodDisruptionBudget>,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const known = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const observedGeneration = status?.observedGeneration;
  const lastTransitionTime = known?.status === "False" ? known.lastTransitionTime : formatTime(nowMs);
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "SyncFailed",
    message,
    lastTransitionTime,
  } as const;
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...(status as PodDisruptionBudgetStatus | undefined),
    disruptionsAllowed: 0,
    conditions: [
      ...(status?.conditions ?? []).filter((each) => each !== known).map((each) => ({ ...each })),
      { ...condition, ...(observedGeneration !== undefined && { observedGeneration }) },
    ],
  };
}

function expectationOf(
  { spec }: DeepReadonly<PodDisruptionBudget>,
  pods: readonly DeepReadonly<Pod>[],
  replicasOf: ScaleLookup,
): Expectation {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable !== "string")
    return { expected: pods.length, desired: minAvailable ?? 0, unmanaged: false };
  const scales = pods.map(replicasOf);
  const expected = [
    ...new Map(scales.flatMap((scale) => (scale ? [[scale.uid, scale.replicas] as const] : []))).values(),
  ].reduce((sum, replicas) => sum + replicas, 0);
  const desired =
    maxUnavailable === undefined
      ? intOrPercent(minAvailable, expected, "up")
      : Math.max(0, expected - intOrPercent(maxUnavailable, expected, "up"));
  return { expected, desired, unmanaged: scales.includes(undefined) };
}

/**
 * Returns when an eviction stops counting if its pod is still there. The pod of that name may be a successor that the
 * StatefulSet created before this controller saw the evicted one end: it's as new as the eviction and isn't marked.
 */
function endOf(time: Time, { metadata, status }: DeepReadonly<Pod>): number {
  const evictedMs = parseTime(time)?.getTime() ?? 0;
  const isMarked = status?.conditions?.some(({ type }) => type === "DisruptionTarget") === true;
  const isNew = (parseTime(metadata?.creationTimestamp)?.getTime() ?? 0) >= evictedMs;
  return evictedMs + (isNew && !isMarked ? successorMs : evictionMs);
}

function statusOf(
  budget: DeepReadonly<PodDisruptionBudget>,
  pods: readonly DeepReadonly<Pod>[],
  { expected, desired }: Expectation,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const living = pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const byName = new Map(living.map((pod) => [pod.metadata!.name!, pod]));
  const disrupted = Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, time]) => {
    const pod = byName.get(name);
    return pod !== undefined && endOf(time, pod) > nowMs;
  });
  const evicted = new Set(disrupted.map(([name]) => name));
  const healthy = living.filter((pod) => isReady(pod) && !evicted.has(pod.metadata!.name!)).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const observedGeneration = budget.metadata!.generation!;
  const known = budget.status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const status = allowed > 0 ? "True" : "False";
  const condition = {
    type: "DisruptionAllowed",
    status,
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
    observedGeneration,
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : formatTime(nowMs),
  } as const;
  return {
    ...(disrupted.length > 0 && { disruptedPods: Object.fromEntries(disrupted) }),
    observedGeneration,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: [
      ...(budget.status?.conditions ?? []).filter((each) => each !== known).map((each) => ({ ...each })),
      condition,
    ],
  };
}
