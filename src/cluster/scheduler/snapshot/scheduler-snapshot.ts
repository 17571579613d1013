import type { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterView } from "./cluster-view.js";
import { NodeInfo, type PodInfo, podInfo } from "./node-info.js";

/** Nodes and the pods assigned to them, kept up to date by the changes of both. */
export class SchedulerSnapshot implements ClusterView {
  readonly namespaceLabels: ClusterView["namespaceLabels"];
  readonly #byName = new Map<string, NodeInfo>();
  readonly #placeOf = new Map<string, NodeInfo>();
  readonly #homeless = new Map<string, PodInfo>();
  /** Pods with affinity by node. */
  readonly #withAffinity = new Map<NodeInfo, number>();
  #nodes: NodeInfo[] = [];

  constructor(namespaceLabels: ClusterView["namespaceLabels"]) {
    this.namespaceLabels = namespaceLabels;
  }

  get nodes(): readonly NodeInfo[] {
    return this.#nodes;
  }

  nodesWithAffinity(): Iterable<NodeInfo> {
    return this.#withAffinity.keys();
  }

  node(name: string): NodeInfo | undefined {
    return this.#byName.get(name);
  }

  /** Adds a node or replaces its object. */
  setNode(node: DeepReadonly<Node>): void {
    const name = node.metadata!.name!;
    const known = this.#byName.get(name);
    if (known !== undefined) {
      known.node = node;
      return;
    }
    const info = new NodeInfo(node);
    this.#byName.set(name, info);
    this.#nodes = [...this.#nodes, info];
    // Pods can be known before their node.
    for (const pod of [...this.#homeless.values()]) if (pod.pod.spec?.nodeName === name) this.#place(pod, info);
  }

  removeNode(name: string): void {
    const info = this.#byName.get(name);
    if (info === undefined) return;
    this.#byName.delete(name);
    this.#nodes = this.#nodes.filter((each) => each !== info);
    this.#withAffinity.delete(info);
    for (const pod of info.pods.values()) {
      this.#placeOf.delete(pod.uid);
      this.#homeless.set(pod.uid, pod);
    }
  }

  /** Adds a pod to a node, or replaces the known version of it. */
  setPod(pod: DeepReadonly<Pod>, nodeName: string): void {
    const info = podInfo(pod);
    this.removePod(info.uid);
    const node = this.#byName.get(nodeName);
    if (node === undefined) this.#homeless.set(info.uid, info);
    else this.#place(info, node);
  }

  /** Returns true for a pod that is on a node, or will be. */
  hasPod(uid: string): boolean {
    return this.#placeOf.has(uid);
  }

  /** Removes a pod. Returns true if it was on a node. */
  removePod(uid: string): boolean {
    this.#homeless.delete(uid);
    const node = this.#placeOf.get(uid);
    if (node === undefined) return false;
    this.#placeOf.delete(uid);
    if (node.pods.get(uid)?.hasAffinity === true) this.#countAffinity(node, -1);
    return node.remove(uid);
  }

  #place(info: PodInfo, node: NodeInfo): void {
    this.#homeless.delete(info.uid);
    this.#placeOf.set(info.uid, node);
    node.add(info);
    if (info.hasAffinity) this.#countAffinity(node, 1);
  }

  #countAffinity(node: NodeInfo, by: number): void {
    const count = (this.#withAffinity.get(node) ?? 0) + by;
    if (count > 0) this.#withAffinity.set(node, count);
    else this.#withAffinity.delete(node);
  }
}
