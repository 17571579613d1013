import type { Controller, ReconcileContext, ReconcileResult } from "../../../../controller/reconcile/controller.js";
import { createController } from "../../../../controller/reconcile/create-controller.js";
import { enqueueForObject, enqueueForOwner, enqueueMapped } from "../../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../../controller/reconcile/kind-source.js";
import { generationChanged } from "../../../../controller/reconcile/predicates.js";
import { Deployment, type DeploymentStatus, ReplicaSet } from "../../../../kinds/apps/v1.js";
import { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { getControllerOwner } from "../../../../objects/owner-references.js";
import type { ClusterContext } from "../../context.js";
import { batched } from "../../shared/batched.js";
import { claim } from "../../shared/claim.js";
import { enqueueAdopters } from "../../shared/enqueue-adopters.js";
import { isFinished, nextCheck } from "../../shared/pods.js";
import { writeStatus } from "../../shared/write-status.js";
import {
  currentReplicas,
  desiredAnnotation,
  desiredReplicas,
  isComplete,
  scaleDownOld,
  scaleProportionally,
  specReplicas,
} from "./replica-counts.js";
import { findCurrent } from "./revisions.js";
import { rollBack, rollbackTarget } from "./rollback.js";
import { createRollout, type Rollout } from "./rollout.js";
import { addProgress, conditionOf, countedStatus, progressDeadlineMs, setCondition, stuckInMs } from "./status.js";

/**
 * Creates the controller that rolls out each Deployment's template with ReplicaSets.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
export function createDeploymentController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const replicaSets = context.cache(ReplicaSet);
  const deployments = context.cache(Deployment);
  const events = context.recorder("deployment-controller");

  /** Returns the ReplicaSets that the Deployment controls. */
  function claimSets(deployment: DeepReadonly<Deployment>, signal: AbortSignal): Promise<DeepReadonly<ReplicaSet>[]> {
    const { namespace = "", name = "", uid = "" } = deployment.metadata ?? {};
    return claim<ReplicaSet>({
      owner: deployment,
      selector: deployment.spec?.selector,
      candidates: [uid, `orphan/${namespace}`].flatMap((key) => replicaSets.store.byIndex("controller", key)),
      objects: client.resource(ReplicaSet).namespace(namespace),
      readOwner: () => client.resource(Deployment).namespace(namespace).get(name, { signal }),
      signal,
    });
  }

  const hasUnfinishedPods = (sets: readonly DeepReadonly<ReplicaSet>[]): boolean =>
    sets.some(({ metadata }) => pods.store.byIndex("controller", metadata!.uid!).some((pod) => !isFinished(pod)));

  async function reconcile(
    deployment: DeepReadonly<Deployment>,
    call: ReconcileContext<Deployment>,
  ): Promise<ReconcileResult | undefined> {
    const namespace = deployment.metadata!.namespace!;
    const sets = await claimSets(deployment, call.signal);
    const rollout = createRollout({ client, events, deployment, sets, call });
    const paused = deployment.spec?.paused === true;
    const deleted = deployment.metadata?.deletionTimestamp !== undefined;
    let failure: unknown;
    try {
      if (!deleted && !paused && rollbackTarget(deployment) !== undefined) {
        await rollout.sync({ create: true });
        await rollBack({ client, events, rollout, call });
        return undefined;
      }
      if (!deleted && (paused || isScaled(deployment, sets))) {
        await rollout.sync({ create: false });
        for (const { set, replicas } of scaleProportionally(deployment, rollout.current, rollout.old))
          await rollout.scale(set, replicas);
      } else if (!deleted) await takeStep(rollout, hasUnfinishedPods);
    } catch (error) {
      failure = error;
    }
    const nowMs = clock.now();
    const current = rollout.current ?? findCurrent(deployment, rollout.all);
    const noted = { ...deployment, status: deleted ? deployment.status : withPause(deployment, nowMs) };
    // After a failure the counts stay, and with them the generation that was observed.
    const status =
      failure === undefined
        ? countedStatus(noted, rollout.all, current, nowMs)
        : (structuredClone(noted.status ?? {}) as DeploymentStatus);
    for (const state of rollout.conditions) setCondition(status, state, nowMs);
    if (rollout.collisionCount !== undefined) status.collisionCount = rollout.collisionCount;
    if (failure === undefined) {
      if (!paused && !deleted && !isScaled(deployment, sets))
        addProgress(noted, status, { current, old: rollout.old }, nowMs);
      const isIdle = paused && !deleted && rollbackTarget(deployment) === undefined;
      if (isIdle || isComplete(deployment, status)) await rollout.cleanUp();
    }
    await writeStatus<Deployment>(client.resource(Deployment).namespace(namespace), rollout.deployment, status, call);
    if (failure !== undefined) throw failure as Error;
    return nextCheck([stuckInMs({ ...deployment, status }, nowMs)]);
  }

  return createController({
    name: "deployment",
    for: client.resource(Deployment),
    predicates: [generationChanged()],
    watches: [
      // The status that the controller itself has written can wait.
      batched(kindSource(client.resource(Deployment), enqueueForObject()), context),
      batched(kindSource(client.resource(ReplicaSet), enqueueForOwner(Deployment)), context),
      kindSource(
        client.resource(ReplicaSet),
        enqueueAdopters(deployments, ({ spec }) => spec?.selector),
      ),
      kindSource(
        client.resource(Pod),
        // Recreate waits until the last pod is gone.
        enqueueMapped(({ metadata }) => {
          const set = replicaSets.store.get(
            `${metadata!.namespace}/${getControllerOwner({ metadata: metadata! })?.name}`,
          );
          const owner = set && getControllerOwner(set);
          return owner?.kind === "Deployment" ? [{ namespace: metadata!.namespace!, name: owner.name }] : [];
        }),
        { predicates: [({ type }) => type === "deleted"] },
      ),
    ],
    concurrency: 5,
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
}

/** Takes the next step of a rollout. Later steps follow when the ReplicaSets report its effect. */
async function takeStep(
  rollout: Rollout,
  hasUnfinishedPods: (sets: readonly DeepReadonly<ReplicaSet>[]) => boolean,
): Promise<void> {
  const { deployment } = rollout;
  const recreate = deployment.spec?.strategy?.type === "Recreate";
  if (recreate) {
    await rollout.sync({ create: false });
    const running = rollout.old.filter((set) => specReplicas(set) > 0);
    for (const set of running) await rollout.scale(set, 0);
    if (running.length > 0 || hasUnfinishedPods(rollout.old)) return;
  }
  await rollout.sync({ create: true });
  const current = rollout.current!;
  const replicas = currentReplicas(deployment, rollout.all, specReplicas(current));
  if (replicas !== specReplicas(current)) await rollout.scale(current, replicas);
  else if (!recreate)
    for (const scaling of scaleDownOld(deployment, current, rollout.old))
      await rollout.scale(scaling.set, scaling.replicas);
}

/** Returns true if the Deployment's number of pods changed since its ReplicaSets were scaled. */
function isScaled(deployment: DeepReadonly<Deployment>, sets: readonly DeepReadonly<ReplicaSet>[]): boolean {
  const desired = String(desiredReplicas(deployment));
  return sets.some(
    (set) => specReplicas(set) > 0 && (set.metadata?.annotations?.[desiredAnnotation] ?? desired) !== desired,
  );
}

/** Returns the status with the start or the end of a pause, from which the deadline counts again. */
function withPause(deployment: DeepReadonly<Deployment>, nowMs: number): DeepReadonly<DeploymentStatus> | undefined {
  const reason = conditionOf(deployment.status, "Progressing")?.reason;
  const paused = deployment.spec?.paused === true;
  if (progressDeadlineMs(deployment) === undefined || reason === "ProgressDeadlineExceeded") return deployment.status;
  if (paused === (reason === "DeploymentPaused")) return deployment.status;
  const state = paused
    ? { reason: "DeploymentPaused", message: "Deployment is paused" }
    : { reason: "DeploymentResumed", message: "Deployment is resumed" };
  const status = structuredClone(deployment.status ?? {}) as DeploymentStatus;
  setCondition(status, { type: "Progressing", status: "Unknown", ...state }, nowMs);
  return status;
}
