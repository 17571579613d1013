import type { NodeInfo } from "./node-info.js";

/** State of the cluster during one scheduling cycle. */
export interface ClusterView {
  /** All nodes. */
  readonly nodes: readonly NodeInfo[];
  /** Nodes that have pods with affinity or anti-affinity. */
  nodesWithAffinity(): Iterable<NodeInfo>;
  /** Returns the labels of a namespace. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
}
