import type { Deployment, ReplicaSet, StatefulSet } from "../../../src/kinds/apps/v1.js";
import type { Pod } from "../../../src/kinds/core/v1.js";
import type { PodDisruptionBudget } from "../../../src/kinds/policy/v1.js";
import type { DeepReadonly } from "../../../src/meta/object.js";

/**
 * Time in milliseconds for which a pod that went down by itself still counts as available, and an old number of
 * replicas still counts as wanted. In this time, controllers may act on what they saw before, here as in a real cluster.
 */
const lagMs = 60_000;

interface PodRecord {
  readonly pod: DeepReadonly<Pod>;
  /** Time at which the pod stopped being ready without having been deleted. */
  readonly lostAtMs: number | undefined;
}

interface Workload {
  readonly kind: "Deployment" | "StatefulSet";
  readonly object: DeepReadonly<Deployment | StatefulSet>;
  /** Numbers of replicas over time. */
  readonly replicas: { readonly atMs: number; readonly count: number }[];
}

/** Checks each change of a cluster against rules that must hold at all times. */
export class Observer {
  /** Violated rules. */
  readonly faults: string[] = [];
  readonly #now: () => number;
  readonly #areBudgetsCurrent: () => boolean;
  readonly #pods = new Map<string, PodRecord>();
  readonly #gone: { readonly record: PodRecord; readonly atMs: number }[] = [];
  readonly #workloads = new Map<string, Workload>();
  readonly #replicaSets = new Map<string, DeepReadonly<ReplicaSet>>();
  readonly #budgets = new Map<string, DeepReadonly<PodDisruptionBudget>>();
  readonly #running = new Map<string, string>();

  constructor(now: () => number, areBudgetsCurrent: () => boolean = () => true) {
    this.#now = now;
    this.#areBudgetsCurrent = areBudgetsCurrent;
  }

  /** Takes over a change of a workload; `undefined` if it's gone. */
  workload(kind: Workload["kind"], name: string, object: DeepReadonly<Deployment | StatefulSet> | undefined): void {
    const key = `${kind}/${name}`;
    if (object === undefined) {
      this.#workloads.delete(key);
      return;
    }
    const known = this.#workloads.get(key);
    const replicas = known?.object.metadata?.uid === object.metadata?.uid ? known!.replicas : [];
    const count = object.spec?.replicas ?? 1;
    if (replicas.at(-1)?.count !== count) replicas.push({ atMs: this.#now(), count });
    this.#workloads.set(key, { kind, object, replicas });
  }

  /** Takes over a change of a budget; `undefined` if it's gone. */
  budget(name: string, budget: DeepReadonly<PodDisruptionBudget> | undefined): void {
    if (budget === undefined) this.#budgets.delete(name);
    else this.#budgets.set(name, budget);
  }

  /** Takes over a change of a pod; `undefined` if it's gone. */
  pod(uid: string, pod: DeepReadonly<Pod> | undefined): void {
    const before = this.#pods.get(uid);
    if (pod === undefined) {
      this.#pods.delete(uid);
      return;
    }
    const wasUp = before !== undefined && isUp(before.pod);
    const isDeleted = pod.metadata?.deletionTimestamp !== undefined;
    const isEvicted = isDeleted && disruption(pod) === eviction;
    const lost = wasUp && !isUp(pod) && (!isDeleted || isEvicted || isInvoluntary(pod));
    const record = { pod, lostAtMs: lost ? this.#now() : isUp(pod) ? undefined : before?.lostAtMs };
    this.#pods.set(uid, record);
    if (isDeleted && wasUp && lost) this.#gone.push({ record, atMs: this.#now() });
    if (isEvicted && wasUp) this.#checkEviction(pod);
    else if (isDeleted && wasUp && !lost) this.#checkDeletion(pod);
  }

  /** Reports that the process of a pod runs. Two pods of one name must never run at once. */
  started(name: string, uid: string): void {
    const other = this.#running.get(name);
    if (other !== undefined && other !== uid) this.fault(`two pods called ${name} run at once`);
    this.#running.set(name, uid);
  }

  /** Reports that the process of a pod has ended. */
  ended(name: string, uid: string): void {
    if (this.#running.get(name) === uid) this.#running.delete(name);
  }

  /** Checks an eviction that the server accepted while the pod was ready. */
  #checkEviction(pod: DeepReadonly<Pod>): void {
    // Here as in a real cluster, the server trusts the status that a paused controller wrote last.
    if (!this.#areBudgetsCurrent()) return;
    const app = pod.metadata?.labels?.["app"] ?? "";
    const available = this.#available(app, (lost) => disruption(lost) !== eviction);
    const least = this.#budgets.get(app)?.spec?.minAvailable;
    if (typeof least === "number" && available < least)
      this.fault(`an eviction of ${name(pod)} leaves ${available} pods, and the budget wants ${least}`);
  }

  /** Checks a pod that a controller deletes while it is ready. */
  #checkDeletion(pod: DeepReadonly<Pod>): void {
    if (disruption(pod) !== undefined) return;
    const app = pod.metadata?.labels?.["app"] ?? "";
    const workload = this.#workloads.get(`Deployment/${app}`) ?? this.#workloads.get(`StatefulSet/${app}`);
    if (workload === undefined || workload.object.metadata?.deletionTimestamp !== undefined) return;
    const wanted = Math.min(...this.#recentReplicas(workload));
    // A StatefulSet with parallel pods replaces and removes the last one, whatever those before it do.
    const first = isParallel(workload) ? ordinalOf(pod) : 0;
    const least =
      workload.kind === "Deployment"
        ? wanted - unavailableOf(workload.object as Deployment, wanted)
        : wanted - 1 - first;
    // The controller may have decided before an eviction: a fault delays its request.
    const available = this.#available(app, () => true, first);
    if (available < least)
      this.fault(`the deletion of ${name(pod)} leaves ${available} available pods, and at least ${least} must be`);
  }

  /**
   * Takes over a change of a ReplicaSet; `undefined` if it's gone. Only growth can break the rule: after a Deployment is
   * scaled down, its ReplicaSets keep their size until the controller runs, which may be paused.
   */
  replicaSet(uid: string, set: DeepReadonly<ReplicaSet> | undefined): void {
    const before = this.#replicaSets.get(uid)?.spec?.replicas ?? 0;
    if (set === undefined) {
      this.#replicaSets.delete(uid);
      return;
    }
    this.#replicaSets.set(uid, set);
    if ((set.spec?.replicas ?? 0) <= before) return;
    const app = set.metadata?.labels?.["app"] ?? "";
    const workload = this.#workloads.get(`Deployment/${app}`);
    if (workload === undefined) return;
    const wanted = Math.max(...this.#recentReplicas(workload));
    const most = wanted + surgeOf(workload.object as Deployment, wanted);
    let sum = 0;
    for (const { metadata, spec } of this.#replicaSets.values())
      if (metadata?.labels?.["app"] === app) sum += spec?.replicas ?? 0;
    if (sum > most) this.fault(`the ReplicaSets of ${app} want ${sum} pods, and at most ${most} may be`);
  }

  #recentReplicas({ replicas }: Workload): number[] {
    const since = this.#now() - lagMs;
    return replicas
      .filter(({ atMs }, index) => atMs >= since || (replicas[index + 1]?.atMs ?? Infinity) >= since)
      .map(({ count }) => count);
  }

  /** Number of pods from an ordinal on that are up, or went down a short while ago and may still count. */
  #available(app: string, mayCount: (lost: DeepReadonly<Pod>) => boolean, first = 0): number {
    const since = this.#now() - lagMs;
    const counts = ({ pod, lostAtMs = Number.NEGATIVE_INFINITY }: PodRecord): boolean =>
      pod.metadata?.labels?.["app"] === app &&
      ordinalOf(pod) >= first &&
      (isUp(pod) || (lostAtMs >= since && mayCount(pod)));
    const present = [...this.#pods.values()].filter(counts);
    const gone = this.#gone.filter(({ record, atMs }) => atMs >= since && !this.#pods.has(record.pod.metadata!.uid!));
    return present.length + gone.filter(({ record }) => counts(record)).length;
  }

  /** Records a violated rule. */
  fault(text: string): void {
    this.faults.push(`${new Date(this.#now()).toISOString()}: ${text}`);
  }
}

function name(pod: DeepReadonly<Pod>): string {
  return pod.metadata?.name ?? "";
}

/** True for a pod that is ready and isn't being deleted. */
function isUp({ metadata, status }: DeepReadonly<Pod>): boolean {
  return (
    metadata?.deletionTimestamp === undefined &&
    status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true
  );
}

function disruption(pod: DeepReadonly<Pod>): string | undefined {
  return pod.status?.conditions?.find(({ type, status }) => type === "DisruptionTarget" && status === "True")?.reason;
}

/** Reason of the condition of a pod that the eviction API deletes. */
const eviction = "EvictionByEvictionAPI";

function isParallel({ kind, object }: Workload): boolean {
  return kind === "StatefulSet" && (object as StatefulSet).spec?.podManagementPolicy === "Parallel";
}

/** Ordinal of a pod of a StatefulSet; 0 for other pods. */
function ordinalOf({ metadata }: DeepReadonly<Pod>): number {
  return Number(metadata?.labels?.["apps.kubernetes.io/pod-index"] ?? 0);
}

/** True for a pod that was deleted because its node failed, or by the test itself. */
function isInvoluntary(pod: DeepReadonly<Pod>): boolean {
  const reason = disruption(pod);
  const byTest = pod.metadata?.annotations?.["simulation/deleted"] === "true";
  return byTest || (reason !== undefined && reason !== eviction);
}

function unavailableOf({ spec }: DeepReadonly<Deployment>, replicas: number): number {
  if (spec?.strategy?.type === "Recreate") return replicas;
  const { maxUnavailable = 0 } = spec?.strategy?.rollingUpdate ?? {};
  const { maxSurge = 0 } = spec?.strategy?.rollingUpdate ?? {};
  const share = shareOf(maxUnavailable, replicas, Math.floor);
  return share === 0 && shareOf(maxSurge, replicas, Math.ceil) === 0 ? 1 : share;
}

function surgeOf({ spec }: DeepReadonly<Deployment>, replicas: number): number {
  return shareOf(spec?.strategy?.rollingUpdate?.maxSurge ?? 0, replicas, Math.ceil);
}

function shareOf(value: number | string, replicas: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseFloat(value) / 100) * replicas);
}
