import type { CustomResourceDefinition } from "../kinds/apiextensions/v1.js";
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../kinds/apps/v1.js";
import type { Job } from "../kinds/batch/v1.js";
import type { PersistentVolumeClaim, Pod, Service } from "../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import { parseTime } from "../meta/time.js";

/**
 * Progress of an object towards its specification:
 *
 * - `current`: it has reached its specification, by what its status reports.
 * - `inProgress`: a controller works on it, or has not seen the latest change.
 * - `failed`: it got stuck. It may still recover, for example when a missing image is pushed.
 * - `terminating`: it's being deleted.
 */
export interface Readiness {
  /** Progress: `current` if the object is ready. */
  readonly status: "current" | "inProgress" | "failed" | "terminating";
  /** Machine-readable reason, such as `LessAvailable`; empty for a current object. */
  readonly reason: string;
  /** Description for people. */
  readonly message: string;
}

/** Computes the readiness of an object of one kind. */
type Rule<T extends KubernetesObject> = (object: DeepReadonly<T>, options: RuleOptions) => Readiness;

interface RuleOptions {
  readonly nowMs: number;
  readonly completeJobs: boolean;
}

/** Time in milliseconds that the scheduler gets for a pod. */
const schedulingMs = 15_000;

const current = (message: string): Readiness => ({ status: "current", reason: "", message });
const inProgress = (reason: string, message: string): Readiness => ({ status: "inProgress", reason, message });
const failed = (reason: string, message: string): Readiness => ({ status: "failed", reason, message });
const always = (): Readiness => current("objects of this kind are always current");

/** A requirement on numbers of replicas: `has` must be at least `wants`. */
type Requirement = readonly [reason: string, has: number | undefined, wants: number, what: string];

/** Returns the first requirement that isn't met. */
function firstUnmet(requirements: readonly Requirement[]): Readiness | undefined {
  for (const [reason, has = 0, wants, what] of requirements)
    if (has < wants) return inProgress(reason, `${has} of ${wants} ${what}`);
  return undefined;
}

function surplus(has: number | undefined, wants: number): Readiness | undefined {
  return (has ?? 0) > wants ? inProgress("ExtraPods", `${(has ?? 0) - wants} pods have yet to end`) : undefined;
}

const deployment: Rule<Deployment> = ({ spec, status }) => {
  const conditions = status?.conditions ?? [];
  const progressing = conditions.find(({ type }) => type === "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded")
    return failed("ProgressDeadlineExceeded", progressing.message ?? "the progress deadline is exceeded");
  const wants = spec?.replicas ?? 1;
  const unmet =
    firstUnmet([
      ["LessReplicas", status?.replicas, wants, "replicas exist"],
      ["LessUpdated", status?.updatedReplicas, wants, "replicas are updated"],
    ]) ??
    surplus(status?.replicas, wants) ??
    firstUnmet([
      ["LessAvailable", status?.availableReplicas, status?.updatedReplicas ?? 0, "replicas are available"],
      ["LessReady", status?.readyReplicas, wants, "replicas are ready"],
    ]);
  if (unmet !== undefined) return unmet;
  // Without a deadline, the condition isn't set.
  const isLimited = (spec?.progressDeadlineSeconds ?? 2 ** 31 - 1) !== 2 ** 31 - 1;
  if (isLimited && !(progressing?.status === "True" && progressing.reason === "NewReplicaSetAvailable"))
    return inProgress("ReplicaSetNotAvailable", "the new ReplicaSet is not available yet");
  if (!conditions.some(({ type, status: value }) => type === "Available" && value === "True"))
    return inProgress("DeploymentNotAvailable", "the Deployment is not available yet");
  return current(`all ${wants} replicas are available`);
};

const replicaSet: Rule<ReplicaSet> = ({ spec, status }) => {
  if (status?.conditions?.some(({ type, status: value }) => type === "ReplicaFailure" && value === "True"))
    return inProgress("ReplicaFailure", "pods can't be created or deleted");
  const wants = spec?.replicas ?? 1;
  const unmet =
    firstUnmet([
      ["LessLabelled", status?.fullyLabeledReplicas, wants, "replicas have all labels"],
      ["LessAvailable", status?.availableReplicas, wants, "replicas are available"],
      ["LessReady", status?.readyReplicas, wants, "replicas are ready"],
    ]) ?? surplus(status?.replicas, wants);
  return unmet ?? current(`all ${wants} replicas are available`);
};

const statefulSet: Rule<StatefulSet> = ({ spec, status }) => {
  if (spec?.updateStrategy?.type === "OnDelete") return current("pods are updated when they are deleted");
  const wants = spec?.replicas ?? 1;
  const unmet =
    firstUnmet([
      ["LessReplicas", status?.replicas, wants, "replicas exist"],
      ["LessReady", status?.readyReplicas, wants, "replicas are ready"],
    ]) ?? surplus(status?.replicas, wants);
  if (unmet !== undefined) return unmet;
  const partition = spec?.updateStrategy?.rollingUpdate?.partition;
  if (partition !== undefined)
    return (
      firstUnmet([["PartitionRollout", status?.updatedReplicas, wants - partition, "replicas are updated"]]) ??
      current(`the replicas from ordinal ${partition} on are updated`)
    );
  const older = firstUnmet([["LessCurrent", status?.currentReplicas, wants, "replicas are current"]]);
  if (older !== undefined) return older;
  if (status?.currentRevision !== status?.updateRevision)
    return inProgress("RevisionMismatch", "the update to the new revision is not complete");
  return current(`all ${wants} replicas are ready`);
};

const daemonSet: Rule<DaemonSet> = ({ metadata, status }) => {
  if (metadata?.generation === undefined) return inProgress("NoGeneration", "metadata.generation is not set");
  if (status?.observedGeneration === undefined)
    return inProgress("NoObservedGeneration", "status.observedGeneration is not set");
  const wants = status.desiredNumberScheduled as number | undefined;
  if (wants === undefined) return inProgress("NoDesiredNumber", "status.desiredNumberScheduled is not set");
  const unmet = firstUnmet([
    ["LessCurrent", status.currentNumberScheduled, wants, "pods are scheduled"],
    ["LessUpdated", status.updatedNumberScheduled, wants, "pods are updated"],
    ["LessAvailable", status.numberAvailable, wants, "pods are available"],
    ["LessReady", status.numberReady, wants, "pods are ready"],
  ]);
  return unmet ?? current(`all ${wants} pods are available`);
};

const pod: Rule<Pod> = ({ metadata, status }, { nowMs }) => {
  const conditions = status?.conditions ?? [];
  switch (status?.phase) {
    case "Succeeded":
      return current("the pod has completed");
    case "Failed":
      return current("the pod has ended with a failure");
    case "Running": {
      if (conditions.some(({ type, status: value }) => type === "Ready" && value === "True"))
        return current("the pod is ready");
      const crashing = (status.containerStatuses ?? [])
        .filter(({ state }) => state?.waiting?.reason === "CrashLoopBackOff")
        .map(({ name }) => name);
      return crashing.length > 0
        ? failed("ContainerCrashLooping", `containers crash again and again: ${crashing.join(", ")}`)
        : inProgress("PodRunningNotReady", "the pod runs, but is not ready");
    }
    case "Pending": {
      const scheduled = conditions.find(({ type }) => type === "PodScheduled");
      if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable")
        return inProgress("PodPending", "the pod is pending");
      const since = parseTime(metadata?.creationTimestamp)?.getTime() ?? 0;
      return nowMs - schedulingMs < since
        ? inProgress("PodNotScheduled", "the pod is not scheduled yet")
        : failed("PodUnschedulable", scheduled.message ?? "the pod fits no node");
    }
    default:
      return inProgress("PodNotObserved", "the pod has no phase yet");
  }
};

const job: Rule<Job> = ({ spec, status }, { completeJobs }) => {
  const wants = spec?.completions ?? spec?.parallelism ?? 1;
  const { succeeded = 0, failed: failures = 0, active = 0 } = status ?? {};
  for (const { type, status: value, message } of status?.conditions ?? []) {
    if (value !== "True") continue;
    if (type === "Complete") return current(`${succeeded} of ${wants} pods have succeeded`);
    if (type === "Failed") return failed("JobFailed", message ?? `${failures} pods have failed`);
    if (type === "Suspended") return current("the Job is suspended");
  }
  if (status?.startTime === undefined) return inProgress("JobNotStarted", "the Job has not started");
  const message = `the Job runs: ${active} active, ${succeeded} succeeded, ${failures} failed`;
  return completeJobs ? inProgress("JobRunning", message) : current(message);
};

const claim: Rule<PersistentVolumeClaim> = ({ status }) =>
  status?.phase === "Bound"
    ? current("the claim is bound")
    : inProgress("NotBound", `the claim is not bound: its phase is ${status?.phase ?? "not set"}`);

const service: Rule<Service> = ({ spec }) =>
  spec?.type === "LoadBalancer" && (spec.clusterIP ?? "") === ""
    ? inProgress("NoIPAssigned", "spec.clusterIP is not set")
    : current("the Service is ready");

const definition: Rule<CustomResourceDefinition> = ({ status }) => {
  for (const { type, status: value, reason = type, message = "" } of status?.conditions ?? []) {
    if (type === "NamesAccepted" && value === "False") return failed(reason, message);
    if (type !== "Established") continue;
    if (value === "False" && reason !== "Installing") return failed(reason, message);
    if (value === "True") return current("the definition is established");
  }
  return inProgress("Installing", "the definition is being installed");
};

/** The rules by `group/Kind`, or `Kind` for the core group. */
export const readinessRules: Readonly<Record<string, Rule<never> | undefined>> = {
  ConfigMap: always,
  PersistentVolumeClaim: claim,
  Pod: pod,
  Secret: always,
  Service: service,
  "apiextensions.k8s.io/CustomResourceDefinition": definition,
  "apps/DaemonSet": daemonSet,
  "apps/Deployment": deployment,
  "apps/ReplicaSet": replicaSet,
  "apps/StatefulSet": statefulSet,
  "batch/CronJob": always,
  "batch/Job": job,
  "policy/PodDisruptionBudget": () => current("the allowed disruptions are computed"),
};
