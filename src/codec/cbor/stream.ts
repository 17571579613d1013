import { ProtocolError } from "../../errors/errors.js";
import { ChunkBuffer } from "../../internal/streams/chunk-buffer.js";
import { decodeCbor, decodedEnd, tryDecodeCbor } from "./decode.js";
import { LengthScanner } from "./length-scanner.js";

/**
 * Reads CBOR items from a stream. An item in a single chunk is decoded at once. For others, the end is located first,
 * so that no byte is decoded again for each chunk.
 */
export class ItemStream {
  readonly #buffer = new ChunkBuffer();
  readonly #scanner = new LengthScanner();
  /** Number of bytes in the buffer that the scanner has covered; 0 if it hasn't started. */
  #scanned = 0;
  readonly #maxItemBytes: number;

  /** Items longer than `maxItemBytes` throw a `ProtocolError`. */
  constructor(maxItemBytes: number) {
    this.#maxItemBytes = maxItemBytes;
  }

  /** Adds a chunk. */
  push(chunk: Uint8Array): void {
    this.#buffer.push(chunk);
  }

  /** Joins more of the last chunk. Returns true if there was more. */
  more(): boolean {
    return this.#buffer.more();
  }

  /** Keeps the remaining bytes until the next chunk. */
  settle(): void {
    this.#buffer.settle();
  }

  /** Number of bytes that don't belong to a decoded item yet. */
  get pending(): number {
    return this.#buffer.length;
  }

  /** Offset of the next item in the stream. */
  get offset(): number {
    return this.#buffer.consumed;
  }

  /** Returns the next item, or `undefined` if it's incomplete. */
  next(): unknown {
    const buffer = this.#buffer;
    if (buffer.length === 0) return undefined;
    const base = buffer.consumed - buffer.start;
    if (this.#scanned === 0) {
      const value = tryDecodeCbor(buffer.bytes, buffer.start, buffer.end, base);
      if (value !== undefined) {
        this.#checkLength(decodedEnd - buffer.start);
        buffer.consumeTo(decodedEnd);
        return value;
      }
    }
    const end = this.#scanner.scan(buffer.bytes, buffer.start + this.#scanned, buffer.end, base);
    if (end < 0) {
      this.#checkLength(buffer.length);
      this.#scanned = this.#scanner.stoppedAt - buffer.start;
      return undefined;
    }
    this.#checkLength(end - buffer.start);
    this.#scanned = 0;
    const value = decodeCbor(buffer.bytes, buffer.start, end, base);
    buffer.consumeTo(end);
    return value;
  }

  /**
   * Reads the head of the next item: major type and argument. Returns `undefined` if it's incomplete. `count` is -1 for
   * an indefinite length.
   */
  head(): { readonly major: number; readonly count: number } | undefined {
    const { bytes, start, end } = this.#buffer;
    if (start === end) return undefined;
    const head = bytes[start]!;
    const info = head & 31;
    const size = info < 24 || info === 31 ? 0 : 1 << (info - 24);
    if (start + 1 + size > end) return undefined;
    let count = info === 31 ? -1 : info;
    if (size > 0) {
      count = 0;
      for (let i = 1; i <= size; i++) count = count * 256 + bytes[start + i]!;
    }
    this.#headLength = 1 + size;
    return { major: head >> 5, count };
  }

  #headLength = 0;

  /** Consumes the head that `head` read. */
  takeHead(): void {
    this.#buffer.consumeTo(this.#buffer.start + this.#headLength);
  }

  #checkLength(length: number): void {
    if (length <= this.#maxItemBytes) return;
    const offset = this.#buffer.consumed;
    throw new ProtocolError(
      `decode CBOR: item at byte ${String(offset)} is longer than ${String(this.#maxItemBytes)} bytes`,
      { offset },
    );
  }
}
