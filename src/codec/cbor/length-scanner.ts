import { ProtocolError } from "../../errors/errors.js";

/** Deepest nesting that is taken. */
const MAX_DEPTH = 1024;

/** Stands for a list or map, or a string, whose end is marked by a break. */
const INDEFINITE = -1;

/**
 * Finds where CBOR items end without decoding them. It goes on where it stopped when the next piece is there, so that an
 * item in a thousand pieces is gone over once.
 */
export class LengthScanner {
  /** How many items are still to come at each level; `INDEFINITE` until a break. */
  readonly #open: number[] = [];
  /** Bytes of a string that are still to be skipped. */
  #skip = 0;
  #begun = false;

  /**
   * Goes on from `start`. Answers with the offset after the outermost item, or with -1 and `stoppedAt` if it does not end
   * before `end`. `base` is the offset in the stream of the first byte of the array.
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

  /** Where the scan stopped: the next call begins there. */
  stoppedAt = 0;

  /** Whether an item has begun and not ended. */
  get inside(): boolean {
    return this.#begun;
  }

  #take(major: number, indefinite: boolean, value: number, offset: number): void {
    this.#begun = true;
    const open = this.#open;
    if (major === 7 && indefinite) {
      if (open.pop() !== INDEFINITE) throw malformed(offset);
      this.#close();
      return;
    }
    if (major === 6) {
      // The tag is part of the item that follows: one level more, so that many tags are bounded as nesting is.
      if (indefinite) throw malformed(offset);
      this.#push(1, offset);
    } else if (major === 2 || major === 3) {
      if (indefinite) this.#push(INDEFINITE, offset);
      else {
        this.#skip = value;
        this.#close();
      }
    } else if (major === 4 || major === 5) {
      if (indefinite) this.#push(INDEFINITE, offset);
      else if (value === 0) this.#close();
      else this.#push(major === 4 ? value : 2 * value, offset);
    } else if (indefinite) throw malformed(offset);
    else this.#close();
  }

  #push(count: number, offset: number): void {
    if (this.#open.length >= MAX_DEPTH)
      throw new ProtocolError(`decode CBOR: nested too deeply at byte ${String(offset)}`, { offset });
    this.#open.push(count);
  }

  /** An item is whole: those around it, of which it was the last, are too. */
  #close(): void {
    const open = this.#open;
    while (open.length > 0) {
      const top = open.length - 1;
      if (open[top] === INDEFINITE) return;
      open[top]!--;
      if (open[top]! > 0) return;
      open.pop();
    }
  }
}

function malformed(offset: number): ProtocolError {
  return new ProtocolError(`decode CBOR: malformed head at byte ${String(offset)}`, { offset });
}
