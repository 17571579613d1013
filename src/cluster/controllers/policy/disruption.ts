import type { Controller, ReconcileContext } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { Pod } from "../../../kinds/core/v1.js";
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from "../../../kinds/policy/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { Time } from "../../../meta/scalars.js";
import { formatTime, parseTime } from "../../../meta/time.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import type { ClusterContext } from "../context.js";
import { batched } from "../shared/batched.js";
import { isReady, nextCheck } from "../shared/pods.js";
import { writeStatus } from "../shared/write-status.js";
import { createExpectPods, type Expectation, PodCountError } from "./expected-pods.js";
import { isDisruptionPending, resetStaleDisruption } from "./stale-disruption.js";

/** Time in milliseconds that an eviction may take to delete its pod. */
const evictionMs = 120_000;
/** Time in milliseconds after which a pod that is as new as an eviction counts as the successor of the evicted one. */
const successorMs = 2_000;

/**
 * Creates the controller that counts the disruptions that each PodDisruptionBudget allows. It also takes back the condition
 * `DisruptionTarget` of a pod that isn't deleted.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets
 */
export function createDisruptionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const budgets = context.cache(PodDisruptionBudget);
  const events = context.recorder("controllermanager");
  const expectPods = createExpectPods(context);

  /** Writes how many disruptions a budget allows. Returns the milliseconds until the next of its evictions is overdue. */
  async function countDisruptions(
    budget: DeepReadonly<PodDisruptionBudget>,
    call: ReconcileContext<PodDisruptionBudget>,
  ): Promise<number | undefined> {
    const { namespace = "" } = budget.metadata!;
    const selected = pods.store
      .list({ namespace })
      .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata?.labels));
    const handle = client.resource(PodDisruptionBudget).namespace(namespace);
    if (selected.length === 0) events.event(budget, { reason: "NoPods", note: "No matching pods found" });
    const expectation = await expectPods(budget, selected, call.signal).catch((error: unknown) => {
      if (error instanceof PodCountError) return error;
      throw error;
    });
    if (expectation instanceof PodCountError) {
      const { message } = expectation;
      const note = `Failed to calculate the number of expected pods: ${message}`;
      events.event(budget, { type: "Warning", reason: "CalculateExpectedPodCountFailed", note });
      await writeStatus<PodDisruptionBudget>(handle, budget, failedStatus(budget, message, clock.now()), call);
      return undefined;
    }
    if (expectation.unmanaged) {
      const note =
        "Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status of the PDB " +
        'cannot be calculated correctly. Set "spec.minAvailable" to an integer to account for these pods.';
      events.event(budget, { type: "Warning", reason: "UnmanagedPods", note });
    }
    const status = statusOf(budget, selected, expectation, clock.now());
    await writeStatus<PodDisruptionBudget>(handle, budget, status, call);
    for (const pod of overdue(budget, selected, clock.now())) {
      const note = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      events.event(pod, { type: "Warning", reason: "NotDeleted", note });
    }
    const byName = new Map(selected.map((pod) => [pod.metadata!.name!, pod]));
    const pending = Object.entries(status.disruptedPods ?? {}).map(([name, time]) => endOf(time, byName.get(name)!));
    return pending.length === 0 ? undefined : Math.max(1, Math.min(...pending) - clock.now());
  }

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
      kindSource(
        client.resource(Pod),
        enqueueMapped(({ metadata }) => [{ namespace: metadata!.namespace!, name: metadata!.name! }]),
        { predicates: [({ type, object }) => type !== "deleted" && isDisruptionPending(object)] },
      ),
    ],
    clock,
    log,
    // A request is for the budget of that name, and for the pod of that name.
    async reconcile({ namespace, name }, call) {
      const pod = pods.store.get(`${namespace}/${name}`);
      const waits = [
        pod && isDisruptionPending(pod) ? await resetStaleDisruption(client, pod, clock.now(), call.signal) : undefined,
        call.object && (await countDisruptions(call.object, call)),
      ];
      return nextCheck(waits);
    },
  });
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

/** Returns the pods that an eviction should have deleted long ago. */
function overdue(
  { status }: DeepReadonly<PodDisruptionBudget>,
  pods: readonly DeepReadonly<Pod>[],
  nowMs: number,
): DeepReadonly<Pod>[] {
  return pods.filter(({ metadata }) => {
    const evictedMs = parseTime(status?.disruptedPods?.[metadata!.name!])?.getTime() ?? Number.POSITIVE_INFINITY;
    return metadata?.deletionTimestamp === undefined && evictedMs + evictionMs < nowMs;
  });
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
