/** Values of a field that are kept. Pods of one cluster have few variants of a part, such as the containers of a workload. */
const mostValues = 4;
/** Lengths of texts that are worth keeping. */
const [shortest, longest] = [32, 8192];
/** Characters that all fields keep together. */
const mostChars = 1 << 20;
/** Unknown values after which one is added, because adding takes time. It doubles while no value is found again. */
const [shortPause, longPause] = [4, 256];

/** A value that was encoded before. */
export interface Repeat {
  readonly text: string;
  /** Encoding of the field, with tags. */
  readonly bytes: Uint8Array;
}

const kept = new Set<Repeats>();
let chars = 0;

/** Values of a field that may be repeated, by their JSON texts. */
export class Repeats {
  #values: Repeat[] = [];
  #found = false;
  #pause = 1;
  #misses = 0;

  /**
   * Returns the value that the text has at a position. A text that goes on after a number that was found can't be
   * indexed; objects, lists and strings end themselves.
   */
  find(text: string, at: number): Repeat | undefined {
    const values = this.#values;
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i]!;
      // Compares parts, which is much faster than `startsWith`.
      if (text.slice(at, at + value.text.length) !== value.text) continue;
      values[i] = values[0]!;
      values[0] = value;
      this.#found = true;
      return value;
    }
    return undefined;
  }

  /** Notes a value that wasn't found. Returns true if it should be added once it is encoded. */
  misses(length: number): boolean {
    if (length < shortest || length > longest) return false;
    this.#misses += 1;
    // Values of this field seldom repeat: don't compare them for a while.
    if (!this.#found && this.#misses > shortPause) this.#clear();
    return this.#misses >= this.#pause;
  }

  /** Adds a value. */
  add(text: string, bytes: Uint8Array): void {
    this.#pause = this.#found ? shortPause : Math.min(2 * this.#pause, longPause);
    this.#misses = 0;
    this.#found = false;
    if (this.#values.length === mostValues) chars -= this.#values.pop()!.text.length;
    // A copy, because a part of a text keeps all of it in memory.
    this.#values.unshift({ text: JSON.parse(JSON.stringify(text)) as string, bytes });
    kept.add(this);
    chars += text.length;
    if (chars > mostChars) for (const each of kept) each.#clear();
  }

  #clear(): void {
    if (this.#values.length === 0) return;
    for (const { text } of this.#values) chars -= text.length;
    this.#values = [];
    kept.delete(this);
  }
}
