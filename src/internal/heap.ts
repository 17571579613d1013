/** A node of a heap; belongs to one heap at a time. */
export interface HeapNode {
  /** Where it is in the heap; -1 outside of one. Only the heap writes it. */
  heapIndex: number;
}

/** A binary heap whose nodes can be moved and taken out wherever they are. */
export interface Heap<N extends HeapNode> {
  /** Number of nodes. */
  readonly size: number;
  /** The first node, which stays. */
  peek(): N | undefined;
  /** Puts a node in, or to its new place after its order has changed. */
  place(node: N): void;
  /** Takes a node out; does nothing for one that is not in. */
  remove(node: N): void;
  /** Takes all out. */
  clear(): void;
}

/** Makes an empty heap. `before` tells whether a node comes before another. */
export function createHeap<N extends HeapNode>(before: (a: N, b: N) => boolean): Heap<N> {
  let nodes: N[] = [];
  const put = (node: N, index: number): void => {
    nodes[index] = node;
    node.heapIndex = index;
  };
  const rise = (node: N): void => {
    let index = node.heapIndex;
    while (index > 0) {
      const parent = nodes[(index - 1) >> 1]!;
      if (!before(node, parent)) break;
      put(parent, index);
      index = (index - 1) >> 1;
    }
    put(node, index);
  };
  const sink = (node: N): void => {
    let index = node.heapIndex;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= nodes.length) break;
      if (child + 1 < nodes.length && before(nodes[child + 1]!, nodes[child]!)) child++;
      if (!before(nodes[child]!, node)) break;
      put(nodes[child]!, index);
      index = child;
    }
    put(node, index);
  };
  return {
    get size() {
      return nodes.length;
    },
    peek: () => nodes[0],
    place(node) {
      if (node.heapIndex < 0) put(node, nodes.length);
      rise(node);
      sink(node);
    },
    remove(node) {
      const index = node.heapIndex;
      if (index < 0) return;
      node.heapIndex = -1;
      const last = nodes.pop()!;
      if (last === node) return;
      put(last, index);
      rise(last);
      sink(last);
    },
    clear() {
      for (const node of nodes) node.heapIndex = -1;
      nodes = [];
    },
  };
}
