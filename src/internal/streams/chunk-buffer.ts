/** Number of bytes of a new chunk to append to the rest of the last one. Enough to complete most values. */
const joinBytes = 16 * 1024;

/**
 * Joins the chunks of a stream. The unconsumed rest of a chunk is copied in front of the beginning of the next one.
 * Once it's consumed, the remainder of the chunk is read in place. Readers use `bytes`, `start` and `end`, which change
 * with every `push`, `consumeTo` and `more`; views into `bytes` are valid until then.
 */
export class ChunkBuffer {
  /** Array that contains the current bytes. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Offset in `bytes` of the first unconsumed byte. */
  start = 0;
  /** Offset in `bytes` after the last byte. */
  end = 0;
  /** Number of bytes consumed so far, which is the stream offset of `start`. */
  consumed = 0;
  /** Array for joined chunks, reused. */
  #own: Uint8Array = new Uint8Array(0);
  /** Chunk whose beginning was copied to `#own`, and the offset of the copy. */
  #chunk: Uint8Array | undefined;
  #junction = 0;

  /** Appends a chunk. The chunk must not change until `settle`. */
  push(chunk: Uint8Array): void {
    const left = this.end - this.start;
    if (left === 0) {
      this.#use(chunk, 0);
      return;
    }
    this.#append(chunk.length > joinBytes ? chunk.subarray(0, joinBytes) : chunk);
    this.#chunk = chunk;
    this.#junction = this.start + left;
  }

  /** Appends more of the last chunk to the joined bytes. Returns true if there was more. */
  more(): boolean {
    const chunk = this.#chunk;
    if (chunk === undefined) return false;
    const copied = this.end - this.#junction;
    if (copied === chunk.length) return false;
    const left = this.#junction - this.start;
    this.#append(chunk.subarray(copied));
    this.#junction = this.start + left;
    return true;
  }

  /** Marks the bytes before `offset` in `bytes` as consumed. */
  consumeTo(offset: number): void {
    this.consumed += offset - this.start;
    this.start = offset;
    if (this.#chunk !== undefined && offset >= this.#junction) this.#use(this.#chunk, offset - this.#junction);
  }

  /**
   * Copies the rest of a borrowed chunk, so that its owner may reuse the memory. Call it once at the end of a decoder's
   * `push`, when `more` returns false.
   */
  settle(): void {
    const left = this.end - this.start;
    if (left === 0) this.#use(this.bytes.subarray(0, 0), 0);
    else if (this.bytes !== this.#own) {
      const rest = this.bytes.subarray(this.start, this.end);
      if (left > this.#own.length) this.#own = new Uint8Array(Math.max(left * 2, 4096));
      this.#own.set(rest);
      this.bytes = this.#own;
      this.start = 0;
      this.end = left;
    }
    this.#chunk = undefined;
  }

  /** Number of unconsumed bytes in `bytes`. */
  get length(): number {
    return this.end - this.start;
  }

  #use(chunk: Uint8Array, start: number): void {
    this.bytes = chunk;
    this.start = start;
    this.end = chunk.length;
    this.#chunk = undefined;
  }

  /**
   * Appends bytes to the joined ones. Moves those to the front of the array only if there isn't enough room behind
   * them.
   */
  #append(piece: Uint8Array): void {
    const left = this.end - this.start;
    if (this.bytes !== this.#own || this.end + piece.length > this.#own.length) {
      let target = this.#own;
      if (left + piece.length > target.length) target = new Uint8Array(Math.max(left + piece.length, left * 2, 4096));
      if (target === this.bytes) target.copyWithin(0, this.start, this.end);
      else target.set(this.bytes.subarray(this.start, this.end));
      this.#own = this.bytes = target;
      this.start = 0;
      this.end = left;
    }
    this.#own.set(piece, this.end);
    this.end += piece.length;
  }
}
