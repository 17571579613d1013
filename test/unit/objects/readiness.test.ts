import { describe, expect, it } from "vitest";
import { isReady, readinessOf } from "../../../src/objects/readiness.js";

const nowMs = Date.parse("2026-01-01T00:01:00Z");
const condition = (type: string, status = "True", reason = "", message = ""): object => ({
  type,
  status,
  ...(reason !== "" && { reason }),
  ...(message !== "" && { message }),
});
const group: Readonly<Record<string, string>> = {
  Pod: "v1",
  Service: "v1",
  ConfigMap: "v1",
  Secret: "v1",
  PersistentVolumeClaim: "v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
  PodDisruptionBudget: "policy/v1",
  CustomResourceDefinition: "apiextensions.k8s.io/v1",
  Widget: "example.com/v1",
};
const available = [condition("Available"), condition("Progressing", "True", "NewReplicaSetAvailable")];
const full = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
const limited = { replicas: 2, progressDeadlineSeconds: 600 };
const unschedulable = {
  phase: "Pending",
  conditions: [condition("PodScheduled", "False", "Unschedulable", "0/1 nodes")],
};
const crashing = [{ name: "main", state: { waiting: { reason: "CrashLoopBackOff" } } }];
const set = { replicas: 2, readyReplicas: 2, currentReplicas: 2, currentRevision: "a", updateRevision: "a" };
const daemons = {
  desiredNumberScheduled: 2,
  currentNumberScheduled: 2,
  updatedNumberScheduled: 2,
  numberAvailable: 2,
  numberReady: 2,
};

/** Kind, specification, status, and the expected status with its reason. */
const rows: readonly [kind: string, spec: object, status: object, expected: string][] = [
  ["ConfigMap", {}, {}, "current"],
  ["Secret", {}, {}, "current"],
  ["CronJob", {}, {}, "current"],
  ["PodDisruptionBudget", {}, {}, "current"],
  ["Pod", {}, {}, "inProgress PodNotObserved"],
  ["Pod", {}, { phase: "Pending" }, "inProgress PodPending"],
  ["Pod", {}, unschedulable, "failed PodUnschedulable"],
  ["Pod", {}, { phase: "Running" }, "inProgress PodRunningNotReady"],
  ["Pod", {}, { phase: "Running", containerStatuses: crashing }, "failed ContainerCrashLooping"],
  ["Pod", {}, { phase: "Running", conditions: [condition("Ready")] }, "current"],
  ["Pod", {}, { phase: "Succeeded" }, "current"],
  ["Pod", {}, { phase: "Failed" }, "current"],
  ["PersistentVolumeClaim", {}, { phase: "Pending" }, "inProgress NotBound"],
  ["PersistentVolumeClaim", {}, { phase: "Bound" }, "current"],
  ["Service", {}, {}, "current"],
  ["Service", { type: "LoadBalancer" }, {}, "inProgress NoIPAssigned"],
  ["Service", { type: "LoadBalancer", clusterIP: "10.0.0.1" }, {}, "current"],
  ["Job", {}, {}, "inProgress JobNotStarted"],
  ["Job", {}, { startTime: "2026-01-01T00:00:00Z", active: 1 }, "current"],
  ["Job", {}, { conditions: [condition("Complete")] }, "current"],
  ["Job", {}, { conditions: [condition("Failed")] }, "failed JobFailed"],
  ["Job", {}, { conditions: [condition("Suspended")] }, "current"],
  ["CustomResourceDefinition", {}, {}, "inProgress Installing"],
  [
    "CustomResourceDefinition",
    {},
    { conditions: [condition("Established", "False", "Installing")] },
    "inProgress Installing",
  ],
  ["CustomResourceDefinition", {}, { conditions: [condition("NamesAccepted", "False", "Taken")] }, "failed Taken"],
  ["CustomResourceDefinition", {}, { conditions: [condition("Established", "False", "Broken")] }, "failed Broken"],
  ["CustomResourceDefinition", {}, { conditions: [condition("Established")] }, "current"],
  ["Deployment", { replicas: 2 }, {}, "inProgress LessReplicas"],
  ["Deployment", { replicas: 2 }, { ...full, updatedReplicas: 1 }, "inProgress LessUpdated"],
  ["Deployment", { replicas: 2 }, { ...full, replicas: 3 }, "inProgress ExtraPods"],
  ["Deployment", { replicas: 2 }, { ...full, availableReplicas: 1 }, "inProgress LessAvailable"],
  ["Deployment", { replicas: 2 }, { ...full, readyReplicas: 1 }, "inProgress LessReady"],
  ["Deployment", limited, { ...full, conditions: [condition("Available")] }, "inProgress ReplicaSetNotAvailable"],
  ["Deployment", { replicas: 2 }, full, "inProgress DeploymentNotAvailable"],
  ["Deployment", limited, { ...full, conditions: available }, "current"],
  ["Deployment", { replicas: 2 }, { ...full, conditions: [condition("Available")] }, "current"],
  [
    "Deployment",
    limited,
    { conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded")] },
    "failed ProgressDeadlineExceeded",
  ],
  ["ReplicaSet", { replicas: 2 }, { conditions: [condition("ReplicaFailure")] }, "inProgress ReplicaFailure"],
  ["ReplicaSet", { replicas: 2 }, {}, "inProgress LessLabelled"],
  ["ReplicaSet", { replicas: 2 }, { fullyLabeledReplicas: 2 }, "inProgress LessAvailable"],
  ["ReplicaSet", { replicas: 2 }, { ...full, fullyLabeledReplicas: 2, replicas: 3 }, "inProgress ExtraPods"],
  ["ReplicaSet", { replicas: 2 }, { ...full, fullyLabeledReplicas: 2 }, "current"],
  ["StatefulSet", { updateStrategy: { type: "OnDelete" } }, {}, "current"],
  ["StatefulSet", { replicas: 2 }, { replicas: 1 }, "inProgress LessReplicas"],
  ["StatefulSet", { replicas: 2 }, { replicas: 2, readyReplicas: 1 }, "inProgress LessReady"],
  ["StatefulSet", { replicas: 2 }, { ...set, replicas: 3 }, "inProgress ExtraPods"],
  ["StatefulSet", { replicas: 2 }, { ...set, currentReplicas: 1 }, "inProgress LessCurrent"],
  ["StatefulSet", { replicas: 2 }, { ...set, updateRevision: "b" }, "inProgress RevisionMismatch"],
  ["StatefulSet", { replicas: 2 }, set, "current"],
  [
    "StatefulSet",
    { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
    set,
    "inProgress PartitionRollout",
  ],
  ["StatefulSet", { replicas: 2, updateStrategy: { rollingUpdate: { partition: 2 } } }, set, "current"],
  ["DaemonSet", {}, {}, "inProgress NoObservedGeneration"],
  ["DaemonSet", {}, { observedGeneration: 1 }, "inProgress NoDesiredNumber"],
  ["DaemonSet", {}, { observedGeneration: 1, ...daemons, currentNumberScheduled: 1 }, "inProgress LessCurrent"],
  ["DaemonSet", {}, { observedGeneration: 1, ...daemons, updatedNumberScheduled: 1 }, "inProgress LessUpdated"],
  ["DaemonSet", {}, { observedGeneration: 1, ...daemons, numberAvailable: 1 }, "inProgress LessAvailable"],
  ["DaemonSet", {}, { observedGeneration: 1, ...daemons, numberReady: 1 }, "inProgress LessReady"],
  ["DaemonSet", {}, { observedGeneration: 1, ...daemons }, "current"],
  ["Widget", {}, {}, "current"],
  ["Widget", {}, { observedGeneration: 0 }, "inProgress LatestGenerationNotObserved"],
  ["Widget", {}, { conditions: [condition("Ready", "False", "Starting")] }, "inProgress Starting"],
  ["Widget", {}, { conditions: [condition("Ready", "Unknown", "Checking")] }, "inProgress Checking"],
  ["Widget", {}, { conditions: [condition("Ready")] }, "current"],
  [
    "Widget",
    {},
    { conditions: [condition("Ready"), condition("Reconciling", "True", "Working")] },
    "inProgress Working",
  ],
  ["Widget", {}, { conditions: [condition("Stalled", "True", "NoQuota")] }, "failed NoQuota"],
];

describe("readinessOf", () => {
  it.each(rows)("a %s with spec %j and status %j is %4$s", (kind, spec, status, expected) => {
    const metadata = { name: "x", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
    const object = { apiVersion: group[kind] ?? "apps/v1", kind, metadata, spec, status };
    const { status: actual, reason, message } = readinessOf(object, { nowMs });
    expect([actual, reason].join(" ").trim()).toBe(expected);
    if (actual !== "current") return;
    expect(message).not.toBe("");
    expect(isReady(object, { nowMs })).toBe(true);
  });

  it("gives a new pod 15 seconds to be scheduled", () => {
    const metadata = { name: "x", creationTimestamp: "2026-01-01T00:00:50Z" };
    const pod = { apiVersion: "v1", kind: "Pod", metadata, status: unschedulable };
    expect(readinessOf(pod, { nowMs }).reason).toBe("PodNotScheduled");
    expect(readinessOf(pod, { nowMs: nowMs + 6_000 }).reason).toBe("PodUnschedulable");
  });

  it("lets a Job that runs be in progress if Jobs have to complete", () => {
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "x" },
      status: { startTime: "2026-01-01T00:00:00Z" },
    };
    expect(readinessOf(job, { completeJobs: true }).reason).toBe("JobRunning");
  });

  it("sees a deletion before anything else, and nothing in an absent object", () => {
    const metadata = { name: "x", deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(readinessOf({ apiVersion: "v1", kind: "Secret", metadata }).status).toBe("terminating");
    expect(isReady(undefined)).toBe(false);
  });
});
