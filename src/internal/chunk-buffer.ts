/** How many bytes of a new piece are put behind what is left of the last one: enough for most things to become whole. */
const JOIN = 16 * 1024;

/**
 * Joins the pieces of a stream. What was not consumed of the last piece stands before the beginning of the next; once
 * that is consumed, the rest of the piece is used where it lies. Whoever reads goes by `bytes`, `start` and `end`, which change with
 * every `push`, `consumeTo` and `more`; views into `bytes` are good until the next of these.
 */
export class ChunkBuffer {
  /** Where the bytes lie. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Offset in `bytes` of the first byte that was not consumed. */
  start = 0;
  /** Offset in `bytes` after the last byte. */
  end = 0;
  /** Number of bytes consumed so far: the offset of `start` in the stream. */
  consumed = 0;
  /** The array that pieces are joined in; used again and again. */
  #own: Uint8Array = new Uint8Array(0);
  /** The piece whose beginning stands in `#own`, and where there it begins. */
  #chunk: Uint8Array | undefined;
  #junction = 0;

  /** Puts a piece after what is left. The piece must not change until `settle`. */
  push(chunk: Uint8Array): void {
    const left = this.end - this.start;
    if (left === 0) {
      this.#use(chunk, 0);
      return;
    }
    this.#append(chunk.length > JOIN ? chunk.subarray(0, JOIN) : chunk);
    this.#chunk = chunk;
    this.#junction = this.start + left;
  }

  /** Makes more of the last piece stand in one row with what is left. Answers whether there was more. */
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

  /** Marks the bytes before `offset` in `bytes` as done with. */
  consumeTo(offset: number): void {
    this.consumed += offset - this.start;
    this.start = offset;
    if (this.#chunk !== undefined && offset >= this.#junction) this.#use(this.#chunk, offset - this.#junction);
  }

  /** Copies what is left of a borrowed piece, so that its owner may use it again. Called once at the end of a decoder's `push`, when `more` has no more. */
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

  /** Number of bytes at hand that were not consumed. */
  get length(): number {
    return this.end - this.start;
  }

  #use(chunk: Uint8Array, start: number): void {
    this.bytes = chunk;
    this.start = start;
    this.end = chunk.length;
    this.#chunk = undefined;
  }

  /** Puts bytes behind what is left, in the own array; moves that to its front only when there is no room behind it. */
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
