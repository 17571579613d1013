/** Finds where a JSON object or array ends, over any number of pieces of it: depth and string state are kept between them. */
export class BoundaryScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Begins a new value. */
  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  /** Whether nothing of a value has been seen since `reset`. */
  get idle(): boolean {
    return this.#depth === 0;
  }

  /** Goes on from `start`; answers with the offset after the value's last bracket, or -1 if it does not end before `end`. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    let depth = this.#depth;
    let p = start;
    if (this.#escaped && p < end) {
      p++;
      this.#escaped = false;
    }
    let inString = this.#inString;
    while (p < end) {
      let c = bytes[p++]!;
      if (inString) {
        while (c !== 0x22 && c !== 0x5c && p < end) c = bytes[p++]!;
        if (c === 0x22) inString = false;
        else if (c === 0x5c && p++ >= end) {
          this.#escaped = true;
          break;
        }
      } else if (c === 0x22) inString = true;
      else if (c === 0x7b || c === 0x5b) depth++;
      else if ((c === 0x7d || c === 0x5d) && --depth <= 0) {
        this.reset();
        return p;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    return -1;
  }
}
