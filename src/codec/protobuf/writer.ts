const encoder = new TextEncoder();

/** Texts longer than this use the platform's encoder. */
const longBytes = 64;

const maxInt64 = 0x7fffffffffffffffn;

/**
 * Writes bytes back to front, so that the length of a message is known when it's written. Every method writes in front
 * of the previous output.
 */
export class BackwardWriter {
  #bytes: Uint8Array = new Uint8Array(4096);
  #start = 4096;

  /** Number of bytes written. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Returns a copy of the bytes written so far and resets the writer. */
  finish(): Uint8Array {
    const bytes = this.#bytes.slice(this.#start);
    if (this.#bytes.length > 1 << 20) this.#bytes = new Uint8Array(4096);
    this.#start = this.#bytes.length;
    return bytes;
  }

  /** Returns a copy of the bytes written since `length` was `from`. */
  since(from: number): Uint8Array {
    return this.#bytes.slice(this.#start, this.#bytes.length - from);
  }

  /** Discards the bytes written so far. */
  reset(): void {
    this.#start = this.#bytes.length;
  }

  #reserve(count: number): void {
    if (this.#start >= count) return;
    const length = this.length;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, length + count));
    grown.set(this.#bytes.subarray(this.#start), grown.length - length);
    this.#bytes = grown;
    this.#start = grown.length - length;
  }

  /** Writes raw bytes. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  /** Writes a text as UTF-8. */
  text(text: string): void {
    const length = text.length;
    this.#reserve(length);
    if (length > longBytes) {
      // Only an ASCII text has as many bytes as characters.
      if (encoder.encodeInto(text, this.#bytes.subarray(this.#start - length, this.#start)).read === length)
        this.#start -= length;
      else this.bytes(encoder.encode(text));
      return;
    }
    let p = this.#start;
    let i = length;
    while (i > 0) {
      const c = text.charCodeAt(i - 1);
      if (c > 127) {
        this.bytes(encoder.encode(text));
        return;
      }
      this.#bytes[--p] = c;
      i--;
    }
    this.#start = p;
  }

  /** Writes an unsigned number of at most 53 bits. */
  varint(value: number): void {
    this.#reserve(8);
    if (value < 128) {
      this.#bytes[--this.#start] = value;
      return;
    }
    let count = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) count++;
    this.#start -= count;
    let p = this.#start;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[p++] = (rest % 128) | 128;
    this.#bytes[p] = rest;
  }

  /**
   * Writes a signed integer as 64 bits. 2^63, which is the largest int64 rounded to a double, is written as the largest
   * int64.
   */
  int64(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      this.varint(value);
      return;
    }
    const septets: number[] = [];
    let rest = BigInt.asUintN(64, value === 2 ** 63 ? maxInt64 : BigInt(value));
    do {
      septets.push(Number(rest & 127n));
      rest >>= 7n;
    } while (rest > 0n);
    this.bytes(Uint8Array.from(septets, (septet, i) => (i === septets.length - 1 ? septet : septet | 128)));
  }

  /** Writes a double, least significant byte first. */
  double(value: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.bytes(bytes);
  }

  /** Writes length and tag in front of everything that was written since `length` was `from`. */
  delimit(tag: number, from: number): void {
    this.varint(this.length - from);
    this.varint(tag);
  }
}
