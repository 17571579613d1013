import type { NodeInfo, PodInfo } from "./snapshot/node-info.js";

/** Pods that wait for a node on which other pods make room for them. */
export class NominatedPods {
  readonly #pods = new Map<string, PodInfo>();

  /** Adds a pod with a nominated node, or forgets one that has none. */
  set(info: PodInfo): void {
    if (info.pod.status?.nominatedNodeName === undefined) this.#pods.delete(info.uid);
    else this.#pods.set(info.uid, info);
  }

  /** Forgets a pod. Returns true if it was known. */
  delete(uid: string): boolean {
    return this.#pods.delete(uid);
  }

  /** Returns the pods of a lower priority that are nominated for a node. */
  below(priority: number, node: string): PodInfo[] {
    return this.#on(node).filter((other) => other.priority < priority);
  }

  /** Returns a node with the other pods of at least the priority of `pod` that are nominated for it, if there are any. */
  expectedOn(node: NodeInfo, pod: PodInfo): NodeInfo | undefined {
    if (this.#pods.size === 0) return undefined;
    const expected = this.#on(node.name).filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
    if (expected.length === 0) return undefined;
    const crowded = node.clone();
    for (const other of expected) crowded.add(other);
    return crowded;
  }

  #on(node: string): PodInfo[] {
    return [...this.#pods.values()].filter(({ pod }) => pod.status?.nominatedNodeName === node);
  }
}
