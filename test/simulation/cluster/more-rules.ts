import type { DaemonSet } from "../../../src/kinds/apps/v1.js";
import type { Job } from "../../../src/kinds/batch/v1.js";
import type { Pod } from "../../../src/kinds/core/v1.js";
import type { ResourceClaim } from "../../../src/kinds/resource/v1.js";
import type { DeepReadonly } from "../../../src/meta/object.js";
import { partsOfDevice } from "./more-workloads.js";

/** Rules for the pods of Jobs and DaemonSets, and for devices, that must hold at all times. */
export class MoreRules {
  readonly #report: (text: string) => void;
  readonly #pods = new Map<string, DeepReadonly<Pod>>();
  readonly #jobs = new Map<string, DeepReadonly<Job>>();
  readonly #daemonSets = new Map<string, DeepReadonly<DaemonSet>>();
  /** Parts of devices by the claim that has them. */
  readonly #devices = new Map<string, ReadonlyMap<string, number>>();

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** Takes over a change of a Job; `undefined` if it's gone. */
  job(name: string, job: DeepReadonly<Job> | undefined): void {
    if (job === undefined) {
      this.#jobs.delete(name);
      return;
    }
    const before = isFinished(this.#jobs.get(name));
    this.#jobs.set(name, job);
    if (before !== undefined && isFinished(job) !== before)
      this.#report(`Job ${name} was ${before} and isn't any more`);
    const { succeeded = 0 } = job.status ?? {};
    const { completions = 1 } = job.spec ?? {};
    if (succeeded > completions)
      this.#report(`Job ${name} succeeded ${succeeded} times, and ${completions} were wanted`);
  }

  /** Takes over a change of a DaemonSet; `undefined` if it's gone. */
  daemonSet(name: string, set: DeepReadonly<DaemonSet> | undefined): void {
    if (set === undefined) this.#daemonSets.delete(name);
    else this.#daemonSets.set(name, set);
  }

  /** Takes over a change of a ResourceClaim; `undefined` if it's gone. */
  claim(name: string, claim: DeepReadonly<ResourceClaim> | undefined): void {
    const results = claim?.status?.allocation?.devices?.results ?? [];
    this.#devices.set(
      name,
      new Map(
        results.map(({ pool, device, shareID, consumedCapacity }) => [
          `${pool}/${device}`,
          shareID === undefined ? partsOfDevice : Number(consumedCapacity?.["parts"]),
        ]),
      ),
    );
    for (const device of this.#devices.get(name)!.keys()) {
      const users = [...this.#devices].filter(([, parts]) => parts.has(device));
      const parts = users.reduce((sum, [, each]) => sum + each.get(device)!, 0);
      if (!(parts <= partsOfDevice))
        this.#report(`${parts} parts of ${device} are allocated for ${users.map(([user]) => user).join(", ")}`);
    }
  }

  /** Takes over a change of a pod; `undefined` if it's gone. */
  pod(uid: string, pod: DeepReadonly<Pod> | undefined): void {
    if (pod === undefined) {
      this.#pods.delete(uid);
      return;
    }
    const isNew = !this.#pods.has(uid);
    this.#pods.set(uid, pod);
    if (!isNew) return;
    const app = pod.metadata?.labels?.["app"] ?? "";
    const owned = [...this.#pods.values()].filter(
      (other) => other.metadata?.labels?.["app"] === app && isActive(other),
    );
    const job = this.#jobs.get(app);
    if (job !== undefined) this.#checkJobPods(app, job, owned);
    const set = this.#daemonSets.get(app);
    if (set !== undefined) this.#checkNodes(app, set, owned);
  }

  #checkJobPods(name: string, { spec }: DeepReadonly<Job>, pods: readonly DeepReadonly<Pod>[]): void {
    const { parallelism = 1 } = spec ?? {};
    if (pods.length > parallelism)
      this.#report(`Job ${name} has ${pods.length} active pods, and at most ${parallelism} may be`);
    if (spec?.completionMode !== "Indexed") return;
    const indexes = pods.map(({ metadata }) => metadata?.annotations?.["batch.kubernetes.io/job-completion-index"]);
    if (new Set(indexes).size < indexes.length) this.#report(`Job ${name} has two active pods of one index`);
  }

  #checkNodes(name: string, { spec }: DeepReadonly<DaemonSet>, pods: readonly DeepReadonly<Pod>[]): void {
    const { maxSurge = 0 } = spec?.updateStrategy?.rollingUpdate ?? {};
    const most = maxSurge === 0 ? 1 : 2;
    const counts = new Map<string, number>();
    for (const pod of pods) {
      const node = nodeOf(pod);
      const count = (counts.get(node) ?? 0) + 1;
      counts.set(node, count);
      if (count > most) this.#report(`DaemonSet ${name} has ${count} pods for ${node}, and at most ${most} may be`);
    }
  }
}

/** Returns `complete` or `failed` for a Job that has ended. */
export function isFinished(job: DeepReadonly<Job> | undefined): "complete" | "failed" | undefined {
  const has = (wanted: string): boolean =>
    job?.status?.conditions?.some(({ type, status }) => type === wanted && status === "True") === true;
  if (has("Complete")) return "complete";
  return has("Failed") ? "failed" : undefined;
}

/** True for a pod that counts for its controller: neither ended nor being deleted. */
function isActive({ metadata, status }: DeepReadonly<Pod>): boolean {
  return metadata?.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** Returns the node that a pod of a DaemonSet is for, which its affinity names before the scheduler binds it. */
function nodeOf({ spec }: DeepReadonly<Pod>): string {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec?.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? "";
}
