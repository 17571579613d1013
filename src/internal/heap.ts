/** Node of a heap. It belongs to at most one heap at a time. */
export interface HeapNode {
  /** Index in the heap, or -1. Only the heap writes it. */
  heapIndex: number;
}

/** Binary heap whose nodes can be moved and removed at any position. */
export interface Heap<N extends HeapNode> {
  /** Number of nodes. */
  readonly size: number;
  /** Returns the first node without removing it. */
  peek(): N | undefined;
  /** Inserts a node, or moves it after its order has changed. */
  place(node: N): void;
  /** Removes a node, if it's in the heap. */
  remove(node: N): void;
  /** Removes all nodes. */
  clear(): void;
}

/** Creates an empty heap. `before` returns true if the first node sorts before the second. */
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
