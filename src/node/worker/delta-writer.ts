import type { Codec, ListDecoder, WatchDecoder } from "../../codec/codec.js";
import { type Base, emptyBase } from "../../codec/shared/delta.js";
import { poolFor } from "../../codec/shared/shared-parts.js";
import { headBytes } from "./messages.js";

interface Stored {
  readonly base: Base;
  readonly delta: string;
  readonly total: number;
}

/** Numbers of the bases that the other thread knows. A base without a number may go once no group needs it. */
export class SentBases {
  readonly #numbers = new Map<Base, number>([[emptyBase, 0]]);
  readonly #bases = new Map<number, Base>();
  #last = 0;

  /** Returns the number of a base; `isNew` if the other thread needs its bytes. */
  number(base: Base): { readonly number: number; readonly isNew: boolean } {
    const known = this.#numbers.get(base);
    if (known !== undefined) return { number: known, isNew: false };
    const number = ++this.#last;
    this.#numbers.set(base, number);
    this.#bases.set(number, base);
    return { number, isNew: true };
  }

  /** Forgets bases. A later difference from one sends its bytes again. */
  drop(numbers: readonly number[]): void {
    for (const number of numbers) {
      const base = this.#bases.get(number);
      if (base === undefined) continue;
      this.#bases.delete(number);
      this.#numbers.delete(base);
    }
  }
}

/**
 * Decodes the chunks of one response in the same way as the other thread, and appends the differences of their objects
 * to the bytes. `scope` is the identity of a pool, one for each collection.
 */
export class DeltaWriter {
  readonly #decoder: ListDecoder | WatchDecoder;
  readonly #scope: object;
  readonly #bases: SentBases;
  /** True after bytes that can't be decoded. The other thread finds the same error. */
  #failed = false;

  constructor(codec: Codec, watch: boolean, scope: object, bases: SentBases) {
    const options = { lazy: true, pool: scope };
    this.#decoder = watch ? codec.createWatchDecoder(options) : codec.createListDecoder(options);
    this.#scope = scope;
    this.#bases = bases;
  }

  /** Joins chunks and the differences of the objects that they complete. */
  write(chunks: readonly Uint8Array[], length: number): ArrayBuffer {
    const bytes = joinChunks(chunks, length);
    const stored = this.#decode(bytes);
    if (stored.length === 0) return bytes.buffer;
    const entries = stored.map((each) => ({ ...each, ...this.#bases.number(each.base) }));
    const size = entries.reduce(
      (sum, { base, isNew, delta }) => sum + headBytes + (isNew ? base.bytes.length : 0) + delta.length,
      length,
    );
    const whole = joinChunks([bytes], size);
    const view = new DataView(whole.buffer);
    const target = Buffer.from(whole.buffer);
    let at = length;
    for (const { number, isNew, base, total, delta } of entries) {
      view.setUint32(at, number);
      view.setUint32(at + 4, isNew ? base.bytes.length : 0);
      view.setUint32(at + 8, total);
      view.setUint32(at + 12, delta.length);
      at += headBytes;
      if (isNew) {
        whole.set(base.bytes, at);
        at += base.bytes.length;
      }
      target.write(delta, at, "latin1");
      at += delta.length;
    }
    return whole.buffer;
  }

  #decode(bytes: Uint8Array): readonly Stored[] {
    if (this.#failed) return [];
    const stored: Stored[] = [];
    const pool = poolFor(this.#scope);
    pool.exchange = { stored: (base, delta, total) => void stored.push({ base, delta, total }) };
    try {
      this.#decoder.push(bytes);
    } catch {
      this.#failed = true;
    }
    return stored;
  }
}

/**
 * Joins chunks at the start of an array of `size` bytes. Its buffer belongs to no shared pool, so that it can be
 * transferred to another thread.
 */
export function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(new ArrayBuffer(size));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
