import type { Job, PodFailurePolicyOnPodConditionsPattern } from "../../../../kinds/batch/v1.js";
import { containerCells, nameWarnings, prepareWorkload, prepareWorkloadUpdate } from "../../core/pod/workload.js";
import type { KindDefinition } from "../../shared/kind-definition.js";
import { defineBuiltin } from "../../shared/kind-definition.js";
import { isSet } from "../../shared/kind-printer.js";
import { formatDuration } from "../../shared/print-age.js";
import { formatSelector } from "../../shared/print-labels.js";
import { validateJob, validateJobUpdate } from "./job-errors.js";
import { validateJobStatus } from "./job-status.js";
import { jobWarnings } from "./job-warnings.js";

function setDefaults(job: Job): void {
  const { spec } = job;
  if (spec === undefined) return;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(job.metadata?.labels ?? {}).length === 0)
    (job.metadata ??= {}).labels = labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
}

/** Generates a selector that matches only the Job's own pods, and their labels, unless the Job defines its own. */
function prepareCreate(job: Job): void {
  prepareWorkload(job);
  const { spec, metadata: { uid = "", name = "" } = {} } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  const metadata = (spec.template.metadata ??= {});
  const sharesLabels = !isNameGenerated(job) && job.metadata?.labels === metadata.labels;
  metadata.labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
    ...metadata.labels,
  };
  // kube-apiserver's defaulting makes the Job and the template share one map of labels, so both get the new ones.
  if (sharesLabels) (job.metadata ??= {}).labels = { ...metadata.labels };
  spec.selector = {
    ...spec.selector,
    matchLabels: { ...spec.selector?.matchLabels, "batch.kubernetes.io/controller-uid": uid },
  };
}

/** True if the name is generated; kube-apiserver then works on a copy, in which the maps aren't shared. */
function isNameGenerated({ metadata: { name = "", generateName = "" } = {} }: Job): boolean {
  const prefix = generateName.slice(0, 58);
  return prefix !== "" && name.length === prefix.length + 5 && name.startsWith(prefix);
}

function statusOf({ metadata, status }: Job): string {
  const has = (type: string): boolean =>
    status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (isSet(metadata?.deletionTimestamp)) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}

function cells(job: Job, age: string, nowMs: number): unknown[] {
  const { spec, status } = job;
  const { completions, parallelism = 0 } = spec ?? {};
  const wanted = completions ?? (parallelism > 1 ? `1 of ${String(parallelism)}` : 1);
  const [start, end] = [status?.startTime, status?.completionTime];
  return [
    statusOf(job),
    `${String(status?.succeeded ?? 0)}/${String(wanted)}`,
    isSet(start) ? formatDuration((isSet(end) ? Date.parse(end) : nowMs) - Date.parse(start)) : "",
    age,
    ...containerCells(spec?.template.spec?.containers),
    formatSelector(spec?.selector),
  ];
}

export const job: KindDefinition = defineBuiltin<Job>({
  resource: "batch/jobs",
  generation: { counts: "fromOne" },
  metadata: { checksOnUpdate: 2 },
  defaults: {
    "io.k8s.api.batch.v1.Job": setDefaults,
    "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern": (pattern: PodFailurePolicyOnPodConditionsPattern) => {
      pattern.status ||= "True";
    },
  },
  prepare: { create: prepareCreate, update: prepareWorkloadUpdate },
  validate: { create: (object) => validateJob(object), update: validateJobUpdate, status: validateJobStatus },
  deletion: {
    orphansByDefault: true,
    warning: (propagation) =>
      propagation === undefined
        ? "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
        : undefined,
  },
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object) : []),
    ...jobWarnings(object.spec, old?.spec, "spec"),
  ],
  printer: {
    columns: "Status,Completions,Duration,Age,Containers*,Images*,Selector*",
    cells,
  },
  selectableFields: ({ status }) => ({ "status.successful": String(status?.succeeded ?? 0) }),
});
