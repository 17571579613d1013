import { ProtocolError } from "../../errors/errors.js";

/** Maximum nesting depth. */
const maxDepth = 1024;

/** Marks a list, map or string that ends with a break. */
const indefiniteLength = -1;

/**
 * Finds the ends of CBOR items without decoding them. It resumes where it stopped, so that an item in a thousand chunks
 * is scanned only once.
 */
export class LengthScanner {
  /** Number of missing items per level; `indefiniteLength` until a break. */
  readonly #open: number[] = [];
  /** Number of bytes of a string still to skip. */
  #skip = 0;
  #begun = false;

  /**
   * Scans from `start`. Returns the offset after the outermost item, or -1 if it doesn't end before `end`, and then
   * sets `stoppedAt`. `base` is the offset in the stream of the array's first byte.
   */
  scan(bytes: Uint8Array, start: number, end: number, base: number): number {
    let p = start;
    for (;;) {
      const skipped = Math.min(this.#skip, end - p);
      p += skipped;
      this.#skip -= skipped;
      if (this.#skip > 0) break;
      if (this.#begun && this.#open.length === 0) {
        this.#begun = false;
        return p;
      }
      if (p >= end) break;
      const head = bytes[p]!;
      const info = head & 31;
      const size =
        info < 24 ? 0 : info === 24 ? 1 : info === 25 ? 2 : info === 26 ? 4 : info === 27 ? 8 : info === 31 ? 0 : -1;
      if (size < 0) throw malformed(base + p);
      if (p + 1 + size > end) break;
      let value = info;
      if (size > 0) {
        value = 0;
        for (let i = 0; i < size; i++) value = value * 256 + bytes[p + 1 + i]!;
      }
      this.#take(head >> 5, info === 31, value, base + p);
      p += 1 + size;
    }
    this.stoppedAt = p;
    return -1;
  }

  /** Offset at which the next call must start. */
  stoppedAt = 0;

  #take(major: number, indefinite: boolean, value: number, offset: number): void {
    this.#begun = true;
    const open = this.#open;
    if (major === 7 && indefinite) {
      if (open.pop() !== indefiniteLength) throw malformed(offset);
      this.#close();
      return;
    }
    if (major === 6) {
      // A tag belongs to the item after it. Count it as a level, so that the nesting limit bounds tags, too.
      if (indefinite) throw malformed(offset);
      this.#push(1, offset);
    } else if (major === 2 || major === 3) {
      if (indefinite) this.#push(indefiniteLength, offset);
      else {
        this.#skip = value;
        this.#close();
      }
    } else if (major === 4 || major === 5) {
      if (indefinite) this.#push(indefiniteLength, offset);
      else if (value === 0) this.#close();
      else this.#push(major === 4 ? value : 2 * value, offset);
    } else if (indefinite) throw malformed(offset);
    else this.#close();
  }

  #push(count: number, offset: number): void {
    if (this.#open.length >= maxDepth)
      throw new ProtocolError(`decode CBOR: nested too deeply at byte ${String(offset)}`, { offset });
    this.#open.push(count);
  }

  /** Completes an item, and the enclosing ones if it was their last. */
  #close(): void {
    const open = this.#open;
    while (open.length > 0) {
      const top = open.length - 1;
      if (open[top] === indefiniteLength) return;
      open[top]!--;
      if (open[top]! > 0) return;
      open.pop();
    }
  }
}

function malformed(offset: number): ProtocolError {
  return new ProtocolError(`decode CBOR: malformed head at byte ${String(offset)}`, { offset });
}
