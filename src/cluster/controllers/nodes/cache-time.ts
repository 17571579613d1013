import type { Node } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Sizes of clusters with the same time. They overlap, so that a node more or less doesn't change all others. */
const steps = [
  { min: 0, max: 100, seconds: "0" },
  { min: 90, max: 500, seconds: "15" },
  { min: 450, max: 1_000, seconds: "30" },
  { min: 900, max: 2_000, seconds: "60" },
  { min: 1_800, max: Number.POSITIVE_INFINITY, seconds: "300" },
];

/** Time that kubelets may cache Secrets and ConfigMaps, which nodes have as an annotation. It grows with the cluster. */
export class CacheTime {
  #step = 0;

  /** Returns the time in seconds for a number of nodes, which follows on the number before. */
  resize(nodes: number): string {
    while (nodes > steps[this.#step]!.max) this.#step += 1;
    while (nodes < steps[this.#step]!.min) this.#step -= 1;
    return this.#seconds;
  }

  /** Returns true if a node has a time, such as an earlier one. */
  isKnown({ metadata }: DeepReadonly<Node>): boolean {
    return metadata?.annotations?.[annotation] !== undefined;
  }

  /** Returns true if a node has the time. */
  isSet({ metadata }: DeepReadonly<Node>): boolean {
    return metadata?.annotations?.[annotation] === this.#seconds;
  }

  /** Sets the time of a node. */
  set(node: Node): void {
    node.metadata = {
      ...node.metadata,
      annotations: { ...node.metadata?.annotations, [annotation]: this.#seconds },
    };
  }

  get #seconds(): string {
    return steps[this.#step]!.seconds;
  }
}
