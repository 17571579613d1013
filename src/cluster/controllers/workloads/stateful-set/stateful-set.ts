import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { enqueueForOwner } from "../../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../../controller/reconcile/kind-source.js";
import { ControllerRevision, StatefulSet, type StatefulSetStatus } from "../../../../kinds/apps/v1.js";
import { PersistentVolumeClaim, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { controllerRevisionHash } from "../../../../objects/hashes/template-hashes.js";
import type { ClusterContext } from "../../context.js";
import { batched } from "../../shared/batched.js";
import { claimPods, claimRevisions } from "../../shared/claim-pods.js";
import { enqueueAdopters } from "../../shared/enqueue-adopters.js";
import { forAll } from "../../shared/in-lanes.js";
import { availableInMs, isReady, nextCheck } from "../../shared/pods.js";
import { findRevision, templateOf, trimRevisions } from "../../shared/revision-history.js";
import { slowStart } from "../../shared/slow-start.js";
import { keepRaisedGeneration, writeStatus } from "../../shared/write-status.js";
import { firstUpdated, nextStep, placesOf, type Task } from "./next-step.js";
import { createOrdinalControl } from "./ordinal-control.js";
import { ordinalOf, ordinalPod, revisionLabel } from "./ordinal-pods.js";

type Revision = DeepReadonly<ControllerRevision>;

/**
 * Creates the controller that runs the pods of each StatefulSet, which have stable names and volumes.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 */
export function createStatefulSetController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const claims = context.cache(PersistentVolumeClaim);
  const revisions = context.cache(ControllerRevision);
  const sets = context.cache(StatefulSet);
  const events = context.recorder("statefulset-controller");

  async function reconcile(
    set: DeepReadonly<StatefulSet>,
    call: ReconcileContext<StatefulSet>,
  ): Promise<ReconcileResult | undefined> {
    const { namespace = "" } = set.metadata ?? {};
    const owners = client.resource(StatefulSet).namespace(namespace);
    const owned = await claimPods(context, {
      owner: set,
      owners,
      accepts: (pod) => ordinalOf(set, pod) !== undefined,
      signal: call.signal,
    });
    const history = await claimRevisions(client, revisions, {
      owner: set,
      owners,
      releases: false,
      signal: call.signal,
    });
    const { revision: update, collisionCount } = await findRevision({
      client,
      owner: set,
      template: set.spec?.template,
      history,
      hashLabel: "controller.kubernetes.io/hash",
      hashOf: controllerRevisionHash,
      collisionCount: set.status?.collisionCount ?? 0,
      call,
    });
    const current = history.find(({ metadata }) => metadata?.name === set.status?.currentRevision) ?? update;
    const nowMs = clock.now();
    let failure: unknown;
    if (set.metadata?.deletionTimestamp === undefined) {
      const places = placesOf(set, owned);
      const step = nextStep(set, places, update.metadata!.name!, nowMs);
      const control = createOrdinalControl({ client, events, set, claims: claims.store, call });
      try {
        await carryOut(set, step.tasks, (task) => {
          switch (task.action) {
            case "create":
              return control.create(task.ordinal, podOf(set, task.ordinal, { current, update }));
            case "replace":
              return control.delete(task.pod);
            case "keep":
              return control.keep(task.pod);
            case "await":
              return task.pod.status?.phase === "Pending" ? control.createMissingClaims(task.pod) : Promise.resolve();
          }
        });
        for (const pod of step.surplus) await control.ownClaims(pod, true);
        await forAll(step.delete, (pod) => control.delete(pod));
      } catch (error) {
        failure = error;
      }
    }
    const status = keepRaisedGeneration<DeepReadonly<StatefulSetStatus>>(
      statusOf(set, owned, { current, update, collisionCount, nowMs }),
      set.status,
    );
    await writeStatus<StatefulSet>(owners, set, status, call);
    const used = new Set([status.currentRevision, status.updateRevision]);
    for (const { metadata } of owned) used.add(metadata?.labels?.[revisionLabel]);
    await trimRevisions(client, history, {
      limit: set.spec?.revisionHistoryLimit ?? 10,
      isUsed: (name) => used.has(name),
      signal: call.signal,
    });
    if (failure !== undefined) throw failure as Error;
    return nextCheck(owned.map((pod) => availableInMs(pod, set.spec?.minReadySeconds ?? 0, nowMs)));
  }

  return createController({
    name: "statefulset",
    for: client.resource(StatefulSet),
    watches: [
      batched(kindSource(client.resource(Pod), enqueueForOwner(StatefulSet)), context),
      kindSource(
        client.resource(Pod),
        enqueueAdopters(sets, ({ spec }) => spec?.selector),
      ),
    ],
    concurrency: 5,
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
}

/** Works on one ordinal after the other, or in a parallel set on more and more at once. Rejects with the first error. */
async function carryOut(
  { spec }: DeepReadonly<StatefulSet>,
  tasks: readonly Task[],
  work: (task: Task) => Promise<void>,
): Promise<void> {
  if (spec?.podManagementPolicy === "Parallel") {
    const failure = await slowStart(tasks.length, (index) => work(tasks[index]!));
    if (failure !== undefined) throw failure as Error;
  } else for (const task of tasks) await work(task);
}

/** Returns a new pod. Ordinals below the partition of a rolling update get the current revision, others the new one. */
function podOf(
  set: DeepReadonly<StatefulSet>,
  ordinal: number,
  { current, update }: { current: Revision; update: Revision },
): Pod {
  const isKept = set.spec?.updateStrategy?.type !== "OnDelete" && ordinal < firstUpdated(set);
  const revision = isKept ? current : update;
  return ordinalPod(set, ordinal, { revision: revision.metadata!.name!, template: templateOf(revision) });
}

interface StatusParts {
  readonly current: Revision;
  readonly update: Revision;
  readonly collisionCount: number;
  readonly nowMs: number;
}

function statusOf(
  set: DeepReadonly<StatefulSet>,
  owned: readonly DeepReadonly<Pod>[],
  { current, update, collisionCount, nowMs }: StatusParts,
): StatefulSetStatus {
  const counted = (test: (pod: DeepReadonly<Pod>) => boolean): number => owned.filter(test).length;
  const ofRevision = ({ metadata: revision }: Revision): number =>
    counted(
      ({ metadata }) =>
        metadata?.deletionTimestamp === undefined && metadata?.labels?.[revisionLabel] === revision?.name,
    );
  const replicas = owned.length;
  const isRunning = (pod: DeepReadonly<Pod>): boolean => pod.status?.phase === "Running" && isReady(pod);
  // Pods count until they're gone.
  const isAvailableOrEnds = (pod: DeepReadonly<Pod>): boolean =>
    isRunning(pod) && availableInMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) === 0;
  const ready = counted(isRunning);
  const updated = ofRevision(update);
  const wanted = set.spec?.replicas ?? 1;
  const rolledOut =
    set.spec?.updateStrategy?.type !== "OnDelete" && [replicas, ready, updated].every((count) => count === wanted);
  const running = rolledOut ? update : current;
  return {
    replicas,
    ...(ready > 0 && { readyReplicas: ready }),
    availableReplicas: counted(isAvailableOrEnds),
    ...(ofRevision(running) > 0 && { currentReplicas: ofRevision(running) }),
    ...(updated > 0 && { updatedReplicas: updated }),
    currentRevision: running.metadata!.name!,
    updateRevision: update.metadata!.name!,
    collisionCount,
    observedGeneration: set.metadata!.generation!,
  };
}
