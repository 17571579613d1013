import type { Clock } from "../../internal/clock.js";
import type { ClusterChange, SchedulerPlugin } from "./plugins/plugin.js";
import type { ClusterView } from "./snapshot/cluster-view.js";
import type { PodInfo } from "./snapshot/node-info.js";
import { retryAnywayMs, WaitingPods } from "./waiting-pods.js";

/** Dependencies of a queue. */
export interface SchedulingQueueParts {
  readonly clock: Clock;
  readonly cluster: ClusterView;
  /** Returns the rule for which a pod has to wait before it can be tried, such as for the claims of its devices. */
  heldBy(info: PodInfo): SchedulerPlugin | undefined;
  /** Requests a call of `take`. */
  request(info: PodInfo): void;
}

/**
 * The pods without a node, and when each of them is tried: at once, when a change may help it, or when its back-off is
 * over.
 */
export class SchedulingQueue {
  readonly #parts: SchedulingQueueParts;
  readonly #pods = new WaitingPods();
  readonly #delayed = new Set<string>();
  #retryTimer = false;

  constructor(parts: SchedulingQueueParts) {
    this.#parts = parts;
  }

  /** Takes the pod to try next, or `undefined` if each has to wait. */
  take(): PodInfo | undefined {
    return this.#pods.take(this.#parts.clock.now());
  }

  /** Lets a pod have its turn, unless it is held back. */
  add(info: PodInfo): void {
    if (this.#holdsBack(info)) return;
    this.#pods.add(info);
    this.#parts.request(info);
  }

  /** Replaces the known version of a pod by one that changes nothing about its turn. */
  refresh(info: PodInfo): void {
    this.#pods.refresh(info);
  }

  /** Forgets a pod that was scheduled or deleted. */
  remove(uid: string): void {
    this.#pods.remove(uid);
  }

  /** Records that a pod fits on no node, so that it waits for a change that concerns one of the plugins. */
  reject(info: PodInfo, rejectedBy: ReadonlySet<SchedulerPlugin>): void {
    this.#pods.fail(info, rejectedBy);
    this.#retryEventually();
  }

  /** Records that an attempt ended with an error, so that the pod is tried again when its back-off is over. */
  retry(info: PodInfo, leastMs = 0): void {
    this.#pods.fail(info, new Set());
    this.#addLater(info.uid, Math.max(leastMs, this.#pods.backOff(info.uid, this.#parts.clock.now())));
  }

  /** Tries pods again that may fit after a change: when their back-off is over, or when there is nothing else to do. */
  changed(change: ClusterChange): void {
    const nowMs = this.#parts.clock.now();
    for (const info of this.#pods.affectedBy(change, this.#parts.cluster)) {
      const delayMs = this.#pods.backOff(info.uid, nowMs);
      if (delayMs === 0) this.add(info);
      else if (!this.#holdsBack(info)) {
        this.#addLater(info.uid, delayMs);
        if (this.#pods.rest(info, nowMs + delayMs)) this.#parts.request(info);
      }
    }
  }

  #holdsBack(info: PodInfo): boolean {
    const rule = this.#parts.heldBy(info);
    if (rule !== undefined) this.#pods.hold(info, rule);
    return rule !== undefined;
  }

  #addLater(uid: string, delayMs: number): void {
    if (this.#delayed.has(uid)) return;
    this.#delayed.add(uid);
    this.#parts.clock.setTimer(() => {
      this.#delayed.delete(uid);
      const info = this.#pods.unschedulable(uid);
      if (info !== undefined) this.add(info);
    }, delayMs);
  }

  /** Tries all pods again once in a while, in case a change was missed. */
  #retryEventually(): void {
    if (this.#retryTimer) return;
    this.#retryTimer = true;
    const retry = (): void => {
      this.#retryTimer = false;
      for (const info of this.#pods.allUnschedulable()) this.add(info);
    };
    this.#parts.clock.setTimer(retry, retryAnywayMs, { upkeep: true });
  }
}
