import type { Job } from "../../../../kinds/batch/v1.js";
import type { Container, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { podFromTemplate } from "../../shared/pods.js";

/** Finalizer of a pod that its Job hasn't counted yet. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexKey = "batch.kubernetes.io/job-completion-index";
const failuresKey = "batch.kubernetes.io/job-index-failure-count";
const ignoredFailuresKey = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Failures of one index before a pod was created, which its annotations remember. */
export interface IndexFailures {
  /** Failures that count against the limit of the index. */
  readonly counted: number;
  /** Failures that the pod failure policy ignored. */
  readonly ignored: number;
}

/** Returns true for a pod that its Job hasn't counted yet. */
export function isTracked({ metadata }: DeepReadonly<Pod>): boolean {
  return metadata?.finalizers?.includes(trackingFinalizer) === true;
}

/** Returns the completion index of a pod; `undefined` if it has no valid one. */
export function indexOf({ metadata }: DeepReadonly<Pod>): number | undefined {
  const text = metadata?.annotations?.[indexKey];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns the failures of an index that a pod remembers. */
export function failuresOf({ metadata }: DeepReadonly<Pod>): IndexFailures {
  const count = (key: string): number => Number.parseInt(metadata?.annotations?.[key] ?? "0", 10) || 0;
  return { counted: count(failuresKey), ignored: count(ignoredFailuresKey) };
}

/** Returns true for a Job that replaces a pod only once it has failed, not while it terminates. */
export function replacesFailedOnly(job: DeepReadonly<Job>): boolean {
  return job.spec?.podReplacementPolicy === "Failed";
}

/** Returns true for a pod that counts as failed. A pod that is being deleted does too, unless the Job waits for it. */
export function hasFailed(job: DeepReadonly<Job>, { metadata, status }: DeepReadonly<Pod>): boolean {
  if (status?.phase === "Failed") return true;
  return !replacesFailedOnly(job) && metadata?.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

/** Returns a new pod of a Job; for an indexed Job with its index and the earlier failures of that index. */
export function jobPod(job: DeepReadonly<Job>, index?: number, failures?: IndexFailures): Pod {
  const pod = podFromTemplate(job.spec?.template, job);
  const metadata = pod.metadata!;
  metadata.finalizers = [...(metadata.finalizers ?? []), trackingFinalizer];
  if (index === undefined) return pod;
  const name = job.metadata?.name ?? "";
  metadata.generateName = `${name}-${index}-`;
  metadata.labels = { ...metadata.labels, [indexKey]: String(index) };
  metadata.annotations = { ...metadata.annotations, [indexKey]: String(index) };
  if (job.spec?.backoffLimitPerIndex !== undefined) {
    metadata.annotations[failuresKey] = String(failures?.counted ?? 0);
    if ((failures?.ignored ?? 0) > 0) metadata.annotations[ignoredFailuresKey] = String(failures!.ignored);
  }
  const spec = pod.spec!;
  // A name with dots isn't a host name.
  spec.hostname ??= `${name}-${index}`;
  if (spec.initContainers !== undefined) spec.initContainers = spec.initContainers.map(withIndexVariable);
  spec.containers = spec.containers.map(withIndexVariable);
  return pod;
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === "JOB_COMPLETION_INDEX")) return container;
  const fieldPath = `metadata.labels['${indexKey}']`;
  return { ...container, env: [...env, { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath } } }] };
}
