import type { Codec, ListDecoder, WatchDecoder } from "../../codec/codec.js";
import { Base, emptyBase } from "../../codec/shared/delta.js";
import { type DeltaExchange, poolFor } from "../../codec/shared/shared-parts.js";
import { latin1Slice } from "../../internal/latin1.js";
import type { DecodeOptions } from "../../meta/options.js";
import { headBytes, workerMark } from "./messages.js";

/** A base as the worker sent it. */
interface Received {
  readonly bytes: Uint8Array;
  /** Object that stands for the base as long as a chunk or a decoded object refers to it. */
  used: WeakRef<Base>;
}

/**
 * Bases of the differences that a worker computes. Their bytes are kept until the worker confirms that it doesn't refer
 * to them any more, because a difference may be on its way while the last object that used the base is collected.
 */
export class ReceivedBases {
  readonly #received = new Map<number, Received>();
  readonly #collected: FinalizationRegistry<number>;
  readonly #report: (numbers: readonly number[]) => void;
  #unused: number[] = [];

  /** `report` is called with bases that no object refers to. */
  constructor(report: (numbers: readonly number[]) => void) {
    this.#report = report;
    this.#collected = new FinalizationRegistry((number) => this.#onCollected(number));
  }

  /** Number of bases that the worker may refer to. */
  get size(): number {
    return this.#received.size;
  }

  /** Adds a base that the worker sent. The caller keeps it until the objects that refer to it may have been decoded. */
  add(number: number, bytes: Uint8Array): Base {
    const base = this.#create(number, bytes);
    this.#received.set(number, { bytes, used: new WeakRef(base) });
    return base;
  }

  /** Returns a base; `undefined` if the worker never sent it. */
  get(number: number): Base | undefined {
    if (number === 0) return emptyBase;
    const received = this.#received.get(number);
    if (received === undefined) return undefined;
    let base = received.used.deref();
    if (base === undefined) {
      base = this.#create(number, received.bytes);
      received.used = new WeakRef(base);
    }
    return base;
  }

  /** Forgets bases that later differences don't refer to. */
  drop(numbers: readonly number[]): void {
    for (const number of numbers) this.#received.delete(number);
  }

  /** Forgets all bases, after the worker has ended. */
  clear(): void {
    this.#received.clear();
    this.#unused = [];
  }

  #create(number: number, bytes: Uint8Array): Base {
    const base = new Base(bytes);
    this.#collected.register(base, number);
    return base;
  }

  #onCollected(number: number): void {
    const received = this.#received.get(number);
    // Another object stands for the base if a difference referred to it after the first one was collected.
    if (received === undefined || received.used.deref() !== undefined) return;
    this.#unused.push(number);
    if (this.#unused.length > 1) return;
    queueMicrotask(() => {
      const unused = this.#unused;
      this.#unused = [];
      if (unused.length > 0) this.#report(unused);
    });
  }
}

/** The differences behind the bytes of a chunk, in the order of its objects. */
class ChunkDeltas {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #bases: ReceivedBases;
  /** Bases that came with this chunk. */
  readonly #own: Base[] = [];
  #at: number;

  constructor(buffer: ArrayBuffer, at: number, bases: ReceivedBases) {
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
    this.#bases = bases;
    this.#at = at;
    this.#addBases();
  }

  /** Adds all bases at once, because other responses may refer to them before this chunk is read. */
  #addBases(): void {
    const view = this.#view;
    for (let at = this.#at; at < view.byteLength; ) {
      const length = view.getUint32(at + 4);
      const bytes = at + headBytes;
      if (length > 0) this.#own.push(this.#bases.add(view.getUint32(at), this.#bytes.slice(bytes, bytes + length)));
      at = bytes + length + view.getUint32(at + 12);
    }
  }

  /** Returns the next difference; `undefined` at the end, or if it belongs to another object. */
  take(total: number): { readonly base: Base; readonly delta: string } | undefined {
    const at = this.#at;
    const view = this.#view;
    if (at >= view.byteLength) return undefined;
    const start = at + headBytes + view.getUint32(at + 4);
    const end = start + view.getUint32(at + 12);
    const base = view.getUint32(at + 8) === total ? this.#bases.get(view.getUint32(at)) : undefined;
    if (base === undefined) {
      this.#at = view.byteLength;
      return undefined;
    }
    this.#at = end;
    return { base, delta: latin1Slice(this.#bytes, start, end) };
  }
}

/** Differences of the chunks that the worker sent. A chunk that an interceptor copied has none, and is decoded alone. */
const deltas = new WeakMap<Uint8Array, ChunkDeltas>();

/** Returns the bytes of a response in a buffer from the worker. */
export function receiveChunk(buffer: ArrayBuffer, length: number, bases: ReceivedBases): Uint8Array {
  const chunk = new Uint8Array(buffer, 0, length);
  if (buffer.byteLength > length) deltas.set(chunk, new ChunkDeltas(buffer, length, bases));
  return chunk;
}

/** Differences of the chunk that is being decoded. */
let current: ChunkDeltas | undefined;

const exchange: DeltaExchange = { take: (total) => current?.take(total) };

/** Returns a codec whose lists and watches are read in the worker. It decodes any bytes like the given codec. */
export function codecInWorker(codec: Codec): Codec {
  return {
    ...codec,
    mediaType: codec.mediaType + workerMark,
    createListDecoder(options) {
      const decoder = codec.createListDecoder(options);
      return { push: pushOf(decoder, options), end: () => decoder.end() };
    },
    createWatchDecoder(options) {
      const decoder = codec.createWatchDecoder(options);
      return { push: pushOf(decoder, options), end: () => decoder.end() };
    },
  };
}

function pushOf<D extends ListDecoder | WatchDecoder>(decoder: D, options: DecodeOptions | undefined): D["push"] {
  const push = (chunk: Uint8Array): ReturnType<D["push"]> => decoder.push(chunk) as ReturnType<D["push"]>;
  if (options?.pool === undefined) return push;
  poolFor(options.pool).exchange = exchange;
  return (chunk: Uint8Array): ReturnType<D["push"]> => {
    current = deltas.get(chunk);
    try {
      return push(chunk);
    } finally {
      current = undefined;
    }
  };
}
