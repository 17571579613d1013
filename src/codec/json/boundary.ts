/**
 * Finds the end of a JSON object or array in a stream of chunks. It keeps the nesting depth and the string state
 * between chunks.
 */
export class BoundaryScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Starts a new value. */
  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  /** True if no part of a value has been scanned since `reset`. */
  get idle(): boolean {
    return this.#depth === 0;
  }

  /** Scans the next bytes. Returns the offset after the value's last bracket, or -1 if it doesn't end before `end`. */
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
