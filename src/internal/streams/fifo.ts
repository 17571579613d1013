/** Queue whose operations take constant time, however long it is. `Array.shift` moves all elements of a long array. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  /** Number of waiting items. */
  get length(): number {
    return this.#items.length - this.#first;
  }

  /** Adds an item at the end. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns the first item; `undefined` if the queue is empty. */
  peek(): T | undefined {
    return this.#items[this.#first];
  }

  /** Removes the first item and returns it; `undefined` if the queue is empty. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    // Each item moves at most once for each time that half of the queue was taken.
    if (this.#first >= 32 && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Drops all items. */
  clear(): void {
    this.#items = [];
    this.#first = 0;
  }
}
