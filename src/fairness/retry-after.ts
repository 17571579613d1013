/** Longest time that a client is asked to wait, in seconds. */
const longest = 32;

/**
 * Computes the `Retry-After` of a priority level from its recent rejections. It doubles when there were many in the last
 * `Retry-After` seconds, and falls by a second at a time when there were few.
 */
export class RetryAfter {
  #seconds = 1;
  #raisedAt = 0;
  #second = 0;
  #count = 0;
  #history: { readonly second: number; readonly count: number }[] = [];

  /** Seconds that a rejected client is asked to wait. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Counts a rejection. `nowMs` is the time in milliseconds since the epoch. */
  record(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) {
      this.#count += 1;
      return;
    }
    this.#history.push({ second: this.#second, count: this.#count });
    const oldest = this.#second - Math.min(2 * this.#seconds, longest);
    this.#history = this.#history.filter((entry) => entry.second >= oldest);
    this.#second = second;
    this.#count = 1;
    this.#update(second);
  }

  #update(second: number): void {
    let recent = 0;
    for (const entry of this.#history)
      if (second - entry.second <= this.#seconds && entry.second < second) recent += entry.count;
    if (second - this.#raisedAt >= this.#seconds && recent >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, longest);
      this.#raisedAt = second;
    } else if (recent < this.#seconds && this.#seconds > 1) this.#seconds -= 1;
  }
}
