import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../../../kinds/apps/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { formatTime, parseTime } from "../../../../meta/time.js";
import { desiredReplicas, isComplete, rollingLimits, specReplicas, sum } from "./replica-counts.js";

/** A condition as a controller decides it, without times. */
export type ConditionState = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** Value of `progressDeadlineSeconds` that means no deadline. */
const noDeadline = 2_147_483_647;

/** Returns the deadline for progress in milliseconds; `undefined` if the Deployment has none. */
export function progressDeadlineMs({ spec }: DeepReadonly<Deployment>): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === noDeadline ? undefined : seconds * 1_000;
}

/** Returns a condition of a status. */
export function conditionOf(
  status: DeepReadonly<DeploymentStatus> | undefined,
  type: string,
): DeepReadonly<DeploymentCondition> | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Sets a condition. Its times change only if its status or reason does. */
export function setCondition(status: DeploymentStatus, state: ConditionState, nowMs: number): void {
  const old = conditionOf(status, state.type);
  if (old?.status === state.status && old.reason === state.reason) return;
  const now = formatTime(nowMs);
  const lastTransitionTime = old?.status === state.status ? old.lastTransitionTime! : now;
  const others = (status.conditions ?? []).filter(({ type }) => type !== state.type);
  status.conditions = [...others, { ...state, lastUpdateTime: now, lastTransitionTime }];
}

function removeCondition(status: DeploymentStatus, type: string): void {
  status.conditions = (status.conditions ?? []).filter((condition) => condition.type !== type);
}

/** Returns the counts of a Deployment's pods, and whether enough of them are available. */
export function countedStatus(
  deployment: DeepReadonly<Deployment>,
  all: readonly DeepReadonly<ReplicaSet>[],
  current: DeepReadonly<ReplicaSet> | undefined,
  nowMs: number,
): DeploymentStatus {
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const available = sum(all, ({ status }) => status?.availableReplicas);
  const unavailable = Math.max(0, sum(all, specReplicas) - available);
  const replicas = sum(all, ({ status }) => status?.replicas);
  const updated = current?.status?.replicas ?? 0;
  const ready = sum(all, ({ status }) => status?.readyReplicas);
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata!.generation!,
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(unavailable > 0 && { unavailableReplicas: unavailable }),
    terminatingReplicas: sum(all, ({ status: counts }) => counts?.terminatingReplicas),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: structuredClone(conditions) as DeploymentCondition[],
  };
  const enough = available >= desiredReplicas(deployment) - rollingLimits(deployment).maxUnavailable;
  setCondition(
    status,
    enough
      ? {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
    nowMs,
  );
  return status;
}

/** Adds to a counted status how the rollout progresses, and the failures of ReplicaSets. */
export function addProgress(
  deployment: DeepReadonly<Deployment>,
  status: DeploymentStatus,
  { current, old }: { current: DeepReadonly<ReplicaSet> | undefined; old: readonly DeepReadonly<ReplicaSet>[] },
  nowMs: number,
): void {
  const name = current?.metadata?.name;
  const subject = name === undefined ? `Deployment "${deployment.metadata?.name}"` : `ReplicaSet "${name}"`;
  const progressing = conditionOf(deployment.status, "Progressing");
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progressing?.reason === "NewReplicaSetAvailable";
  const deadlineMs = progressDeadlineMs(deployment);
  if (deadlineMs === undefined) removeCondition(status, "Progressing");
  else if (!wasComplete) {
    const state = progressState(deployment, status, subject, nowMs);
    if (state !== undefined) {
      // Progress is news even if the reason stays the same: the deadline counts from here.
      if (state.reason === "ReplicaSetUpdated") {
        const since = progressing?.status === "True" ? progressing.lastTransitionTime : undefined;
        removeCondition(status, "Progressing");
        setCondition(status, state, nowMs);
        if (since !== undefined) status.conditions!.at(-1)!.lastTransitionTime = since;
      } else setCondition(status, state, nowMs);
    }
  }
  const failure = [current, ...old]
    .flatMap((set) => set?.status?.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) removeCondition(status, "ReplicaFailure");
  else {
    const { type, status: value, reason, message } = failure;
    setCondition(status, { type, status: value, reason, message }, nowMs);
  }
}

function progressState(
  deployment: DeepReadonly<Deployment>,
  status: DeploymentStatus,
  subject: string,
  nowMs: number,
): ConditionState | undefined {
  const before = deployment.status ?? {};
  const grew = (count: "updatedReplicas" | "readyReplicas" | "availableReplicas"): boolean =>
    (status[count] ?? 0) > (before[count] ?? 0);
  const outdated = (counts: DeepReadonly<DeploymentStatus>): number =>
    (counts.replicas ?? 0) - (counts.updatedReplicas ?? 0);
  const type = "Progressing";
  if (isComplete(deployment, status))
    return {
      type,
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: `${subject} has successfully progressed.`,
    };
  if (
    grew("updatedReplicas") ||
    grew("readyReplicas") ||
    grew("availableReplicas") ||
    outdated(status) < outdated(before)
  )
    return { type, status: "True", reason: "ReplicaSetUpdated", message: `${subject} is progressing.` };
  if ((stuckInMs(deployment, nowMs) ?? 1) <= 0)
    return {
      type,
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: `${subject} has timed out progressing.`,
    };
  return undefined;
}

/**
 * Returns the milliseconds until a rollout without progress exceeds its deadline, 0 or less if it did; `undefined` if it
 * has no deadline or isn't in progress.
 */
export function stuckInMs(deployment: DeepReadonly<Deployment>, nowMs: number): number | undefined {
  const condition = conditionOf(deployment.status, "Progressing");
  const deadlineMs = progressDeadlineMs(deployment);
  if (deadlineMs === undefined || condition === undefined || condition.reason === "NewReplicaSetAvailable")
    return undefined;
  if (condition.reason === "ProgressDeadlineExceeded") return 0;
  const since = parseTime(condition.lastUpdateTime)?.getTime();
  return since === undefined ? undefined : since + deadlineMs - nowMs;
}
