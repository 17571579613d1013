import type { ContainerStatus, Pod, PodCondition } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatTime } from "../../meta/time.js";
import { mayRestartAll } from "../controllers/shared/pods.js";
import { isSidecar } from "./containers/restart-policy.js";
import type { Reason, Resize } from "./pod-host.js";
import type { PodPhase } from "./pod-phase.js";

type Verdict = Pick<PodCondition, "status" | "reason" | "message">;

/** State of a pod that its conditions depend on. */
export interface ConditionInput {
  readonly phase: PodPhase;
  readonly statuses: ReadonlyMap<string, DeepReadonly<ContainerStatus>>;
  /** True if the pod has its network. */
  readonly hasSandbox: boolean;
  /** Progress of a resize; `undefined` for a pod that has ended. */
  readonly resize: Resize | undefined;
  /** Reason and message of the condition `DisruptionTarget`; `undefined` to leave it. */
  readonly disruption: Reason | undefined;
  /** True while all containers are being restarted. */
  readonly restartsAll: boolean;
  readonly nowMs: number;
}

const owned = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "PodResizePending",
  "PodResizeInProgress",
  "AllContainersRestarting",
]);

/** Returns the conditions of a pod that other programs than its kubelet have set. */
export function foreignConditions({ status }: DeepReadonly<Pod>): PodCondition[] {
  return (status?.conditions ?? []).filter(({ type }) => !owned.has(type));
}

/** Returns the conditions of a pod on a node. Those that other programs have set stay. */
export function podConditions(pod: DeepReadonly<Pod>, input: ConditionInput): PodCondition[] {
  const old = pod.status?.conditions ?? [];
  const { disruption, resize } = input;
  const others = foreignConditions(pod).filter(({ type }) => !(type === "DisruptionTarget" && disruption));
  const containersReady = containersReadiness(pod, input);
  const condition = (type: string, { status, reason, message }: Verdict): PodCondition => {
    const known = old.find((other) => other.type === type);
    return {
      type,
      status,
      // The server stores this null. A status without it would never equal the stored one.
      lastProbeTime: known?.lastProbeTime ?? null!,
      lastTransitionTime: known?.status === status ? known.lastTransitionTime! : formatTime(input.nowMs),
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      ...(pod.metadata?.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    };
  };
  return [
    ...others,
    ...(disruption ? [condition("DisruptionTarget", { status: "True", ...disruption })] : []),
    ...resizeVerdicts(resize).map(([type, verdict]) => condition(type, verdict)),
    condition("PodReadyToStartContainers", { status: input.hasSandbox ? "True" : "False" }),
    condition("Initialized", initialization(pod, input)),
    condition("Ready", containersReady.status === "True" ? gates(pod, others) : containersReady),
    condition("ContainersReady", containersReady),
    condition("PodScheduled", { status: "True" }),
    ...(mayRestartAll(pod.spec!) ? [withoutGeneration(condition("AllContainersRestarting", restarting(input)))] : []),
  ];
}

function resizeVerdicts({ pending, inProgress, error }: Resize = {}): [type: string, verdict: Verdict][] {
  const waits: Verdict = { status: "True", reason: "Deferred", message: pending };
  const failure = error === undefined ? {} : { reason: "Error", message: error };
  return [
    ...(pending === undefined ? [] : [["PodResizePending", waits] satisfies [string, Verdict]]),
    ...(inProgress === true
      ? [["PodResizeInProgress", { status: "True", ...failure }] satisfies [string, Verdict]]
      : []),
  ];
}

function restarting({ phase, restartsAll }: ConditionInput): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  if (!restartsAll) return { status: "False" };
  return {
    status: "True",
    reason: "RestartAllContainersStarted",
    message: "container exited with restart policy rule",
  };
}

/** A kubelet doesn't report the generation of this condition. */
function withoutGeneration({ observedGeneration: _, ...condition }: PodCondition): PodCondition {
  return condition;
}

function initialization({ spec }: DeepReadonly<Pod>, { phase, statuses }: ConditionInput): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const ran = (spec?.containers ?? []).some(({ name }) => {
    const status = statuses.get(name);
    return status?.state?.waiting === undefined || status.lastState?.terminated !== undefined;
  });
  const incomplete = (spec?.initContainers ?? [])
    .filter((container) => {
      const status = statuses.get(container.name);
      return isSidecar(container) ? status?.started !== true : status?.ready !== true;
    })
    .map(({ name }) => name);
  if (ran || incomplete.length === 0) return { status: "True" };
  const message = `containers with incomplete status: [${incomplete.join(" ")}]`;
  return { status: "False", reason: "ContainersNotInitialized", message };
}

function containersReadiness({ spec }: DeepReadonly<Pod>, { phase, statuses }: ConditionInput): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])]
    .filter(({ name }) => statuses.get(name)?.ready !== true)
    .map(({ name }) => name);
  if (unready.length === 0) return { status: "True" };
  const message = `containers with unready status: [${unready.join(" ")}]`;
  return { status: "False", reason: "ContainersNotReady", message };
}

function gates({ spec }: DeepReadonly<Pod>, conditions: readonly PodCondition[]): Verdict {
  const problems = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = conditions.find(({ type }) => type === conditionType);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return found.status === "True"
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (problems.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: problems.join(", ") };
}
