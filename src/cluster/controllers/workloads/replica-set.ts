import type { Controller, ReconcileContext } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueForObject, enqueueForOwner } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { generationChanged } from "../../../controller/reconcile/predicates.js";
import { ReplicaSet, type ReplicaSetCondition, type ReplicaSetStatus } from "../../../kinds/apps/v1.js";
import { Pod, ReplicationController } from "../../../kinds/core/v1.js";
import type { Kind } from "../../../meta/kind.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { batched } from "../shared/batched.js";
import { claim } from "../shared/claim.js";
import { inDeletionOrder } from "../shared/delete-order.js";
import { enqueueAdopters } from "../shared/enqueue-adopters.js";
import { forAll } from "../shared/in-lanes.js";
import { createPodControl } from "../shared/pod-control.js";
import {
  availableInMs,
  isActive,
  isFinished,
  isReady,
  isTerminating,
  nextCheck,
  podFromTemplate,
} from "../shared/pods.js";
import { serverMessage } from "../shared/server-message.js";
import { slowStart } from "../shared/slow-start.js";
import { writeStatus } from "../shared/write-status.js";

/** Pods that one reconcile creates or deletes at most. */
const burst = 500;

/** A kind of objects that each keep a number of pods running. */
interface ReplicaKind {
  readonly kind: Kind<ReplicaSet, "Namespaced", { status: ReplicaSet }>;
  /** Name of the controller. */
  readonly name: string;
  /** Component that reports events. */
  readonly component: string;
  /** Returns an object of the kind with the selector of a ReplicaSet. */
  view(object: DeepReadonly<ReplicaSet>): DeepReadonly<ReplicaSet>;
  /** Returns the status of a ReplicaSet as that of the kind. */
  status(status: ReplicaSetStatus): ReplicaSetStatus;
}

/**
 * Creates the controller that keeps `spec.replicas` pods of each ReplicaSet running.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
 */
export function createReplicaSetController(context: ClusterContext): Controller {
  return createReplicaController(context, {
    kind: ReplicaSet,
    name: "replicaset",
    component: "replicaset-controller",
    view: (set) => set,
    status: (status) => status,
  });
}

/**
 * Creates the controller that keeps `spec.replicas` pods of each ReplicationController running.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/
 */
export function createReplicationControllerController(context: ClusterContext): Controller {
  return createReplicaController(context, {
    // The kinds differ in the selector, which consists of labels here, and in one field of the status.
    kind: ReplicationController as object as ReplicaKind["kind"],
    name: "replicationcontroller",
    component: "replication-controller",
    view: (object) => ({
      ...object,
      apiVersion: "v1" as "apps/v1",
      kind: "ReplicationController" as "ReplicaSet",
      spec: { ...object.spec, selector: { matchLabels: object.spec?.selector as Record<string, string> } },
    }),
    status: ({ terminatingReplicas: _, ...status }) => status,
  });
}

function createReplicaController(context: ClusterContext, workload: ReplicaKind): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const workloads = context.cache(workload.kind);
  const events = context.recorder(workload.component);

  /** Creates or deletes pods until `difference` more exist. Rejects with the first error of a request. */
  async function resize(
    set: DeepReadonly<ReplicaSet>,
    active: readonly DeepReadonly<Pod>[],
    difference: number,
    call: ReconcileContext<ReplicaSet>,
  ): Promise<void> {
    const control = createPodControl({ client, events, owner: set, call });
    if (difference > 0) {
      const create = (): Promise<unknown> => control.create(podFromTemplate(set.spec?.template, set));
      const error = await slowStart(Math.min(difference, burst), create);
      if (error !== undefined) throw error as Error;
      return;
    }
    const doomed = inDeletionOrder(active, relatedPods(set), clock.now()).slice(0, Math.min(-difference, burst));
    await forAll(doomed, (pod) => control.delete(pod));
  }

  /** Returns the pods of all ReplicaSets of the same Deployment. */
  function relatedPods(set: DeepReadonly<ReplicaSet>): readonly DeepReadonly<Pod>[] {
    const deployment = getControllerOwner(set)?.uid;
    const siblings = deployment === undefined ? [set] : workloads.store.byIndex("controller", deployment);
    return siblings.flatMap(({ metadata }) => pods.store.byIndex("controller", metadata!.uid!));
  }

  return createController({
    name: workload.name,
    for: client.resource(workload.kind),
    predicates: [generationChanged()],
    watches: [
      // The status that the controller itself has written can wait.
      batched(kindSource(client.resource(workload.kind), enqueueForObject()), context),
      batched(kindSource(client.resource(Pod), enqueueForOwner(workload.kind)), context),
      kindSource(
        client.resource(Pod),
        enqueueAdopters(workloads, (each) => workload.view(each).spec?.selector),
      ),
    ],
    concurrency: 5,
    clock,
    log,
    async reconcile({ namespace, name }, call) {
      const { object, signal } = call;
      if (object === undefined) return undefined;
      const set = workload.view(object);
      const handle = client.resource(workload.kind).namespace(namespace);
      const owned = await claim<Pod>({
        owner: set,
        selector: set.spec?.selector,
        // Pods that have ended aren't adopted.
        candidates: [set.metadata!.uid!, `orphan/${namespace}`]
          .flatMap((key) => pods.store.byIndex("controller", key))
          .filter((pod) => !isFinished(pod)),
        objects: client.resource(Pod).namespace(namespace),
        readOwner: () => handle.get(name, { signal }),
        signal,
      });
      const active = owned.filter(isActive);
      const difference = (set.spec?.replicas ?? 1) - active.length;
      let failure: unknown;
      if (difference !== 0 && set.metadata?.deletionTimestamp === undefined) {
        await resize(set, active, difference, call).catch((error: unknown) => {
          failure = error;
        });
      }
      const nowMs = clock.now();
      const tally = tallyPods(set, owned, nowMs);
      const status = workload.status(statusOf(set, tally, { difference, failure, nowMs }));
      await writeStatus<ReplicaSet>(handle, object, status, call);
      if (failure !== undefined) throw failure as Error;
      return nextCheck(tally.waits);
    },
  });
}

/** Numbers of a ReplicaSet's pods. */
interface PodTally {
  active: number;
  ready: number;
  available: number;
  /** Number of pods with all labels of the template. */
  labeled: number;
  terminating: number;
  /** Times in milliseconds until further pods are available. */
  readonly waits: number[];
}

/** Counts pods in one pass: a rollout counts the pods of a large ReplicaSet many times. */
function tallyPods({ spec }: DeepReadonly<ReplicaSet>, pods: readonly DeepReadonly<Pod>[], nowMs: number): PodTally {
  const { template, minReadySeconds = 0 } = spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const tally: PodTally = { active: 0, ready: 0, available: 0, labeled: 0, terminating: 0, waits: [] };
  for (const pod of pods) {
    if (isTerminating(pod)) tally.terminating++;
    if (!isActive(pod)) continue;
    tally.active++;
    if (labels.every(([key, value]) => pod.metadata?.labels?.[key] === value)) tally.labeled++;
    if (!isReady(pod)) continue;
    tally.ready++;
    const waitMs = availableInMs(pod, minReadySeconds, nowMs);
    if (waitMs === 0) tally.available++;
    else if (waitMs !== undefined) tally.waits.push(waitMs);
  }
  return tally;
}

function statusOf(
  set: DeepReadonly<ReplicaSet>,
  { active, ready, available, labeled, terminating }: PodTally,
  { difference, failure, nowMs }: { difference: number; failure: unknown; nowMs: number },
): ReplicaSetStatus {
  const others = (set.status?.conditions ?? []).filter(
    ({ type }) => type !== "ReplicaFailure",
  ) as ReplicaSetCondition[];
  const conditions =
    failure === undefined ? others : [...others, failureCondition(set, difference, failure as Error, nowMs)];
  return {
    replicas: active,
    ...(labeled > 0 && { fullyLabeledReplicas: labeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    terminatingReplicas: terminating,
    ...(conditions.length > 0 && { conditions }),
    observedGeneration: set.metadata!.generation!,
  };
}

/** Returns the condition of a failure. It stays the same until the next success: its message names a pod of each attempt. */
function failureCondition(
  set: DeepReadonly<ReplicaSet>,
  difference: number,
  error: Error,
  nowMs: number,
): ReplicaSetCondition {
  const old = set.status?.conditions?.find(({ type }) => type === "ReplicaFailure");
  if (old !== undefined) return { ...old };
  const reason = difference < 0 ? "FailedDelete" : "FailedCreate";
  return {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    reason,
    message: serverMessage(error),
  };
}
