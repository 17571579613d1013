import { ProtocolError } from "../../errors/errors.js";
import { ChunkBuffer } from "../../internal/chunk-buffer.js";
import { decodeCbor, decodedEnd, tryDecodeCbor } from "./decode.js";
import { LengthScanner } from "./length-scanner.js";

/**
 * Takes CBOR items out of a stream one after the other. An item that lies in one piece is decoded at once; of one that
 * does not, the end is looked for first, so that no byte is decoded again for each piece.
 */
export class ItemStream {
  readonly #buffer = new ChunkBuffer();
  readonly #scanner = new LengthScanner();
  /** How far into the buffer the scanner has come, from its start; 0 while it has not begun. */
  #scanned = 0;
  readonly #maxItemBytes: number;

  /** Items longer than `maxItemBytes` are a `ProtocolError`. */
  constructor(maxItemBytes: number) {
    this.#maxItemBytes = maxItemBytes;
  }

  /** Adds a piece. */
  push(chunk: Uint8Array): void {
    this.#buffer.push(chunk);
  }

  /** Makes more of the last piece stand in one row. Answers whether there was more. */
  more(): boolean {
    return this.#buffer.more();
  }

  /** Keeps what is left until the next piece. */
  settle(): void {
    this.#buffer.settle();
  }

  /** Number of bytes that no item has been made of yet. */
  get pending(): number {
    return this.#buffer.length;
  }

  /** Offset in the stream of the next item. */
  get offset(): number {
    return this.#buffer.consumed;
  }

  /** The next item; `undefined` if it is not all there. */
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

  /** Reads the head at the next item if it is all there: major type and argument. `count` is -1 for an indefinite one. */
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

  /** Takes the head that `head` read. */
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
