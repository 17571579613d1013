interface Block<V> {
  readonly keys: string[];
  readonly values: V[];
}

const blockSize = 256;

/** Returns the position of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A map sorted by its keys' code units. A change costs O(log n) plus a move inside one block of bounded size. */
export class SortedMap<V> {
  private blocks: Block<V>[] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(key: string): V | undefined {
    const block = this.blocks[this.blockOf(key)];
    if (block === undefined) return undefined;
    const at = lowerBound(block.keys, key);
    return block.keys[at] === key ? block.values[at] : undefined;
  }

  set(key: string, value: V): void {
    if (this.blocks.length === 0) this.blocks.push({ keys: [], values: [] });
    const index = this.blockOf(key);
    const block = this.blocks[index]!;
    const at = lowerBound(block.keys, key);
    if (block.keys[at] === key) {
      block.values[at] = value;
      return;
    }
    block.keys.splice(at, 0, key);
    block.values.splice(at, 0, value);
    this.count += 1;
    if (block.keys.length > blockSize) {
      const half = block.keys.length >> 1;
      this.blocks.splice(index + 1, 0, { keys: block.keys.splice(half), values: block.values.splice(half) });
    }
  }

  /** Removes a key; returns true if it existed. */
  delete(key: string): boolean {
    const index = this.blockOf(key);
    const block = this.blocks[index];
    if (block === undefined) return false;
    const at = lowerBound(block.keys, key);
    if (block.keys[at] !== key) return false;
    block.keys.splice(at, 1);
    block.values.splice(at, 1);
    this.count -= 1;
    if (block.keys.length === 0) this.blocks.splice(index, 1);
    return true;
  }

  /** Replaces all entries. The given entries must be sorted. */
  load(keys: readonly string[], values: readonly V[]): void {
    this.blocks = [];
    this.count = keys.length;
    const size = blockSize >> 1;
    for (let at = 0; at < keys.length; at += size)
      this.blocks.push({ keys: keys.slice(at, at + size), values: values.slice(at, at + size) });
  }

  clear(): void {
    this.blocks = [];
    this.count = 0;
  }

  /**
   * Calls `visit` for every entry with `from <= key < to`, in order, until it returns `false`. The map must not change
   * during the scan.
   */
  scan(from: string, to: string | undefined, visit: (value: V, key: string) => boolean | undefined): void {
    if (this.blocks.length === 0) return;
    for (let index = this.blockOf(from), first = true; index < this.blocks.length; index += 1, first = false) {
      const { keys, values } = this.blocks[index]!;
      for (let at = first ? lowerBound(keys, from) : 0; at < keys.length; at += 1) {
        const key = keys[at]!;
        if (to !== undefined && key >= to) return;
        if (visit(values[at]!, key) === false) return;
      }
    }
  }

  /** Counts the entries with `from <= key < to` without visiting them. */
  countRange(from: string, to: string | undefined): number {
    return (to === undefined ? this.count : this.rank(to)) - this.rank(from);
  }

  private rank(key: string): number {
    if (this.blocks.length === 0) return 0;
    const index = this.blockOf(key);
    let before = 0;
    for (let i = 0; i < index; i += 1) before += this.blocks[i]!.keys.length;
    return before + lowerBound(this.blocks[index]!.keys, key);
  }

  /** Returns the index of the last block whose first key is not greater than `key`, at least 0. */
  private blockOf(key: string): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.blocks[middle]!.keys[0]! <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** Returns the least string greater than all strings that begin with `prefix`; `undefined` for the empty prefix. */
export function prefixEnd(prefix: string): string | undefined {
  if (prefix === "") return undefined;
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
