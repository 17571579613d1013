import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../kinds/apps/v1.js";
import type { CronJob, Job, PodFailurePolicyOnPodConditionsPattern } from "../../../kinds/batch/v1.js";
import { TEMPLATE_GENERATION } from "../../schema/convert-object.js";
import type { StructHooks } from "../shared/walk-structs.js";

/** Defaults of the workloads: the groups apps and batch. */
export const appsDefaults: StructHooks = {
  "io.k8s.api.apps.v1.Deployment": ({ spec }: Deployment) => {
    if (spec === undefined) return;
    spec.replicas ??= 1;
    const strategy = (spec.strategy ??= {});
    strategy.type ??= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      const rolling = (strategy.rollingUpdate ??= {});
      rolling.maxUnavailable ??= "25%";
      rolling.maxSurge ??= "25%";
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  "io.k8s.api.apps.v1.DaemonSet": (set: DaemonSet) => {
    // The counter of templates is a field inside of the server, which this version shows as an annotation.
    ((set.metadata ??= {}).annotations ??= {})[TEMPLATE_GENERATION] ??= "0";
    const { spec } = set;
    if (spec === undefined) return;
    const strategy = (spec.updateStrategy ??= {});
    strategy.type ??= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      const rolling = (strategy.rollingUpdate ??= {});
      rolling.maxUnavailable ??= 1;
      rolling.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
  },
  "io.k8s.api.apps.v1.StatefulSet": ({ spec }: StatefulSet) => {
    if (spec === undefined) return;
    for (const claim of spec.volumeClaimTemplates ?? [])
      Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
    spec.podManagementPolicy ??= "OrderedReady";
    const strategy = (spec.updateStrategy ??= {});
    if (strategy.type === undefined) {
      strategy.type = "RollingUpdate";
      strategy.rollingUpdate ??= {};
    }
    if (strategy.type === "RollingUpdate" && strategy.rollingUpdate !== undefined)
      strategy.rollingUpdate.partition ??= 0;
    const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
    retention.whenDeleted ??= "Retain";
    retention.whenScaled ??= "Retain";
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
  },
  "io.k8s.api.apps.v1.ReplicaSet": ({ spec }: ReplicaSet) => {
    if (spec !== undefined) spec.replicas ??= 1;
  },
  "io.k8s.api.batch.v1.Job": (job: Job) => {
    const { spec } = job;
    if (spec === undefined) return;
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
    const labels = spec.template?.metadata?.labels;
    if (labels !== undefined && Object.keys(job.metadata?.labels ?? {}).length === 0)
      (job.metadata ??= {}).labels = { ...labels };
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
    spec.manualSelector ??= false;
  },
  "io.k8s.api.batch.v1.CronJob": ({ spec }: CronJob) => {
    if (spec === undefined) return;
    spec.concurrencyPolicy ??= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
  },
  "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern": (pattern: PodFailurePolicyOnPodConditionsPattern) => {
    pattern.status ||= "True";
  },
};
