import { createHeap, type HeapNode } from "../../internal/heap.js";
import { type ClusterChange, isWorthRetry, type SchedulerPlugin } from "./plugins/plugin.js";
import type { ClusterView } from "./snapshot/cluster-view.js";
import type { PodInfo } from "./snapshot/node-info.js";

const shortestMs = 1_000;
const longestMs = 10_000;
/** Time after which a pod is tried again even if nothing has changed. */
export const retryAnywayMs = 300_000;
/** Pods in their back-off that are tried in a second at most. More keep a real scheduler busy. */
const mostEarly = 100;

interface Attempts {
  count: number;
  lastMs: number;
}

interface Active extends HeapNode {
  info: PodInfo;
  readonly order: number;
}

interface Resting extends HeapNode {
  info: PodInfo;
  /** Second in which its back-off ends. */
  readonly second: number;
}

interface Unschedulable {
  readonly info: PodInfo;
  readonly rejectedBy: ReadonlySet<SchedulerPlugin>;
}

/** Pods that wait for a node: those to try next, by priority, and those for which something must change first. */
export class WaitingPods {
  readonly #active = new Map<string, Active>();
  readonly #next = createHeap<Active>(
    (a, b) => a.info.priority > b.info.priority || (a.info.priority === b.info.priority && a.order < b.order),
  );
  readonly #unschedulable = new Map<string, Unschedulable>();
  /** Unschedulable pods to try during their back-off if no other pod is to be tried. */
  readonly #resting = new Map<string, Resting>();
  readonly #nextResting = createHeap<Resting>(
    (a, b) => a.second < b.second || (a.second === b.second && a.info.priority > b.info.priority),
  );
  #early = { second: 0, count: 0 };
  readonly #attempts = new Map<string, Attempts>();
  #order = 0;

  /** Adds a pod to try, or replaces the known version of it. */
  add(info: PodInfo): void {
    const known = this.#active.get(info.uid);
    if (known !== undefined) this.#next.remove(known);
    this.#leave(info.uid);
    const entry: Active = { info, order: known?.order ?? this.#order++, heapIndex: -1 };
    this.#active.set(info.uid, entry);
    this.#next.place(entry);
  }

  /** Replaces the known version of a pod by one that changes nothing about its turn. */
  refresh(info: PodInfo): void {
    for (const entry of [this.#active.get(info.uid), this.#resting.get(info.uid)])
      if (entry !== undefined) entry.info = info;
    const known = this.#unschedulable.get(info.uid);
    if (known !== undefined) this.#unschedulable.set(info.uid, { ...known, info });
  }

  /** Forgets a pod that was scheduled or deleted. */
  remove(uid: string): void {
    const active = this.#active.get(uid);
    if (active !== undefined) this.#next.remove(active);
    this.#active.delete(uid);
    this.#leave(uid);
    this.#attempts.delete(uid);
  }

  /**
   * Lets an unschedulable pod be tried during its back-off, when no other pod is to be tried. Returns false for one whose
   * last attempt ended with an error, which waits.
   */
  rest(info: PodInfo, untilMs: number): boolean {
    const known = this.#unschedulable.get(info.uid);
    if (known === undefined || known.rejectedBy.size === 0) return false;
    if (this.#resting.has(info.uid)) return true;
    const entry: Resting = { info, second: Math.floor(untilMs / 1_000), heapIndex: -1 };
    this.#resting.set(info.uid, entry);
    this.#nextResting.place(entry);
    return true;
  }

  /** Takes the pod with the highest priority; among equals, the one that waits longest. */
  take(nowMs: number): PodInfo | undefined {
    const info = this.#takeActive() ?? this.#takeResting(Math.floor(nowMs / 1_000));
    if (info === undefined) return undefined;
    const attempts = this.#attempts.get(info.uid) ?? { count: 0, lastMs: 0 };
    attempts.count++;
    attempts.lastMs = nowMs;
    this.#attempts.set(info.uid, attempts);
    return info;
  }

  #takeActive(): PodInfo | undefined {
    const first = this.#next.peek();
    if (first === undefined) return undefined;
    this.#next.remove(first);
    this.#active.delete(first.info.uid);
    return first.info;
  }

  #takeResting(second: number): PodInfo | undefined {
    const first = this.#nextResting.peek();
    if (this.#early.second !== second) this.#early = { second, count: 0 };
    if (first === undefined || this.#early.count >= mostEarly) return undefined;
    this.#early.count++;
    this.#leave(first.info.uid);
    return first.info;
  }

  /** Removes a pod from the unschedulable ones. */
  #leave(uid: string): void {
    const resting = this.#resting.get(uid);
    if (resting !== undefined) this.#nextResting.remove(resting);
    this.#resting.delete(uid);
    this.#unschedulable.delete(uid);
  }

  /** Records that a pod fits on no node. */
  fail(info: PodInfo, rejectedBy: ReadonlySet<SchedulerPlugin>): void {
    this.#unschedulable.set(info.uid, { info, rejectedBy });
  }

  /** Holds a pod back until one of the plugin's changes, which doesn't count as an attempt. */
  hold(info: PodInfo, plugin: SchedulerPlugin): void {
    const active = this.#active.get(info.uid);
    if (active !== undefined) this.#next.remove(active);
    this.#active.delete(info.uid);
    this.fail(info, new Set([plugin]));
  }

  /** Returns a pod that fits on no node by its UID. */
  unschedulable(uid: string): PodInfo | undefined {
    return this.#unschedulable.get(uid)?.info;
  }

  /** Returns the pods that fit on no node. */
  allUnschedulable(): PodInfo[] {
    return [...this.#unschedulable.values()].map(({ info }) => info);
  }

  /** Returns the time of a pod's back-off that is left. */
  backOff(uid: string, nowMs: number): number {
    const { count, lastMs } = this.#attempts.get(uid) ?? { count: 0, lastMs: 0 };
    if (count === 0) return 0;
    return Math.max(0, lastMs + Math.min(longestMs, shortestMs * 2 ** Math.min(count - 1, 10)) - nowMs);
  }

  /** Returns the pods that may fit after a change, because a plugin that rejected them may accept them now. */
  affectedBy(change: ClusterChange, cluster: ClusterView): PodInfo[] {
    const affected: PodInfo[] = [];
    for (const { info, rejectedBy } of this.#unschedulable.values()) {
      let concerns = rejectedBy.size === 0;
      for (const plugin of rejectedBy) concerns ||= isWorthRetry(plugin, change, info, cluster);
      if (concerns) affected.push(info);
    }
    return affected;
  }
}
