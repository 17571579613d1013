/** Longest text to remember, in characters. */
const longestText = 16_384;

/** Characters to remember in each of two generations. */
const roomCharacters = 512 * 1024;

/**
 * Texts of values that were found valid. Most writes repeat what a server has validated before: another pod of the same
 * workload, a pod whose labels or status change.
 */
export class KnownValid {
  #recent = new Set<string>();
  #earlier = new Set<string>();
  #room = roomCharacters;

  /** True if the value of this text was found valid recently. */
  has(text: string): boolean {
    if (this.#recent.has(text)) return true;
    if (!this.#earlier.has(text)) return false;
    this.add(text);
    return true;
  }

  /** Remembers a valid value by its text. Forgets others if there are too many. */
  add(text: string): void {
    if (text.length > longestText) return;
    if (text.length > this.#room) {
      this.#earlier = this.#recent;
      this.#recent = new Set();
      this.#room = roomCharacters;
    }
    this.#recent.add(text);
    this.#room -= text.length;
  }
}
