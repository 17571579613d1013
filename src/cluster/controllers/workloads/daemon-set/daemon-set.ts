import type { EventDetails } from "../../../../controller/events/event-recorder.js";
import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { enqueueForOwner, enqueueMapped } from "../../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../../controller/reconcile/kind-source.js";
import type { Predicate } from "../../../../controller/reconcile/predicates.js";
import { deepEqual } from "../../../../internal/deep-equal.js";
import { ControllerRevision, DaemonSet, type DaemonSetStatus } from "../../../../kinds/apps/v1.js";
import { Node, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { podTemplateHash } from "../../../../objects/hashes/template-hashes.js";
import type { ClusterContext } from "../../context.js";
import { batched } from "../../shared/batched.js";
import { claimPods } from "../../shared/claim-pods.js";
import { enqueueAdopters } from "../../shared/enqueue-adopters.js";
import { forAll } from "../../shared/in-lanes.js";
import { createPodControl } from "../../shared/pod-control.js";
import { availableInMs, isReady, nextCheck } from "../../shared/pods.js";
import { findRevision } from "../../shared/revision-history.js";
import { slowStart } from "../../shared/slow-start.js";
import { keepRaisedGeneration, writeStatus } from "../../shared/write-status.js";
import { claimHistory, mergeDuplicates, trimHistory } from "./claim-history.js";
import { createFailedPods } from "./failed-pods.js";
import { type NodeState, nextStep, nodeStates } from "./next-step.js";
import { hashLabel, isCurrent, nodeOf, nodePod, placementOn } from "./node-pods.js";

/**
 * Creates the controller that runs one pod of each DaemonSet on every node that fits.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
 */
export function createDaemonSetController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const nodes = context.cache(Node);
  const pods = context.cache(Pod);
  const sets = context.cache(DaemonSet);
  const revisions = context.cache(ControllerRevision);
  const events = context.recorder("daemonset-controller");
  const failedPods = createFailedPods();

  async function reconcile(
    set: DeepReadonly<DaemonSet>,
    call: ReconcileContext<DaemonSet>,
  ): Promise<ReconcileResult | undefined> {
    const { namespace = "" } = set.metadata ?? {};
    if (set.metadata?.deletionTimestamp !== undefined) return undefined;
    const owners = client.resource(DaemonSet).namespace(namespace);
    const owned = await claimPods(context, { owner: set, owners, signal: call.signal });
    const history = await claimHistory(client, revisions, { owner: set, owners, signal: call.signal });
    // The end of the duplicates reconciles again.
    if (await mergeDuplicates(client, { set, history, pods: owned, call })) return undefined;
    const { revision, collisionCount } = await findRevision({
      client,
      owner: set,
      template: set.spec?.template,
      history,
      hashLabel,
      raisesTies: true,
      hashOf: (_, count) => podTemplateHash(set.spec!.template, count === 0 ? undefined : count),
      collisionCount: set.status?.collisionCount ?? 0,
      call,
    });
    const hash = revision.metadata?.labels?.[hashLabel] ?? "";
    const nowMs = clock.now();
    const states = nodeStates(set, nodes.store.list(), owned);
    const step = nextStep(set, states, hash, nowMs);
    const control = createPodControl({ client, events, owner: set, call });
    const pauses = step.ended.map((pod) => pauseMs(set, pod, nowMs));
    const ended = step.ended.filter((_, index) => pauses[index] === 0);
    for (const pod of ended) events.event(set, endOf(pod));
    const create = (position: number): Promise<unknown> => control.create(nodePod(set, step.create[position]!, hash));
    let failure = await slowStart(step.create.length, create);
    const doomed = [...new Set([...step.delete, ...ended])];
    await forAll(doomed, (pod) => control.delete(pod)).catch((error: unknown) => {
      failure ??= error;
    });
    const status = statusOf(set, states, { hash, collisionCount, nowMs });
    await writeStatus<DaemonSet>(owners, set, status, call);
    await trimHistory(client, { set, history, pods: owned, call }, revision);
    if (failure !== undefined) throw failure as Error;
    return nextCheck([...pauses, ...owned.map((pod) => availableInMs(pod, set.spec?.minReadySeconds ?? 0, nowMs))]);
  }

  /** Returns the time in milliseconds until a pod that has ended may be replaced. A new template starts without pauses. */
  const pauseMs = ({ metadata, status }: DeepReadonly<DaemonSet>, pod: DeepReadonly<Pod>, nowMs: number): number =>
    pod.status?.phase === "Failed"
      ? failedPods.pauseMs(`${metadata!.uid}/${status?.observedGeneration}/${nodeOf(pod)}`, nowMs)
      : 0;

  const podsOf = (set: DeepReadonly<DaemonSet>, { metadata }: DeepReadonly<Node>): readonly DeepReadonly<Pod>[] =>
    pods.store.byIndex("controller", set.metadata!.uid!).filter((pod) => nodeOf(pod) === metadata!.name);

  return createController({
    name: "daemonset",
    for: client.resource(DaemonSet),
    watches: [
      batched(kindSource(client.resource(Pod), enqueueForOwner(DaemonSet)), context),
      kindSource(
        client.resource(Pod),
        enqueueAdopters(sets, ({ spec }) => spec?.selector),
      ),
      kindSource(client.resource(ControllerRevision), enqueueForOwner(DaemonSet), {
        predicates: [({ type }) => type !== "added"],
      }),
      kindSource(
        client.resource(ControllerRevision),
        enqueueAdopters(sets, ({ spec }) => spec?.selector),
      ),
      kindSource(
        client.resource(Node),
        enqueueMapped((node) =>
          sets.store
            .list()
            .filter((set) => concerns(set, node, podsOf(set, node)))
            .map(({ metadata }) => ({ namespace: metadata!.namespace!, name: metadata!.name! })),
        ),
        {
          predicates: [isMoreThanHeartbeat],
        },
      ),
    ],
    concurrency: 2,
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
}

/** Returns true for a change of a node that isn't a heartbeat. */
const isMoreThanHeartbeat: Predicate<Node> = (change) =>
  change.type !== "updated" ||
  !deepEqual(change.object.spec?.taints, change.old.spec?.taints) ||
  !deepEqual(change.object.metadata?.labels, change.old.metadata?.labels);

/** Returns the event for a pod that has ended, which a daemon should not. */
function endOf({ metadata, spec, status }: DeepReadonly<Pod>): EventDetails {
  const pod = `daemon pod ${metadata?.namespace}/${metadata?.name} on node ${spec?.nodeName}`;
  return status?.phase === "Failed"
    ? { type: "Warning", reason: "FailedDaemonPod", note: `Found failed ${pod}, will try to kill it` }
    : { reason: "SucceededDaemonPod", note: `Found succeeded ${pod}, will try to delete it` };
}

/** Returns true if a set has a pod to create on or to remove from a node, or may count its pod there differently. */
function concerns(set: DeepReadonly<DaemonSet>, node: DeepReadonly<Node>, pods: readonly DeepReadonly<Pod>[]): boolean {
  const { shouldRun, mayStay } = placementOn(set, node);
  if (pods.length === 0) return shouldRun;
  return !mayStay || (set.status?.numberMisscheduled ?? 0) > 0;
}

function statusOf(
  set: DeepReadonly<DaemonSet>,
  states: readonly NodeState[],
  { hash, collisionCount, nowMs }: { hash: string; collisionCount: number; nowMs: number },
): DeepReadonly<DaemonSetStatus> {
  const wanted = states.filter(({ shouldRun }) => shouldRun);
  const oldest = wanted.flatMap(({ pods }) => pods.slice(0, 1));
  // A pod that ends counts while it is ready.
  const available = oldest.filter((pod) => availableInMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) === 0).length;
  const updated = oldest.filter((pod) => isCurrent(set, pod, hash)).length;
  const unavailable = wanted.length - available;
  const status: DaemonSetStatus = {
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: oldest.length,
    numberMisscheduled: states.filter(({ exists, shouldRun, pods }) => exists && !shouldRun && pods.length > 0).length,
    numberReady: oldest.filter(isReady).length,
    ...(updated > 0 && { updatedNumberScheduled: updated }),
    ...(available > 0 && { numberAvailable: available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
    ...(collisionCount > 0 && { collisionCount }),
    ...(set.status?.conditions && { conditions: [...set.status.conditions] }),
    observedGeneration: set.metadata!.generation!,
  };
  return keepRaisedGeneration(status, set.status);
}
