import type { Dispatcher } from "undici";
import { concatBytes } from "../../internal/bytes.js";
import type { WholeBody } from "../../transport/direct.js";
import type { BodyIterator } from "../../transport/transport.js";

const pauseAbove = 256 * 1024;
const done: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** Source of a body. */
type BodyController = Pick<Dispatcher.DispatchController, "paused" | "pause" | "resume">;

/**
 * Body of one response: undici pushes chunks, the reader pulls them, and a slow reader pauses the socket. The reader
 * gets this object itself, single-use; `return()` aborts the request. It's a class because there is one per request.
 */
export class ResponseBody implements AsyncIterableIterator<Uint8Array>, BodyIterator, WholeBody {
  readonly #controller: BodyController;
  readonly #onLeave: () => void;
  #chunks: Uint8Array[] = [];
  #head = 0;
  #buffered = 0;
  #begun = false;
  #outcome: { readonly error: unknown } | "end" | undefined;
  #waiting:
    | {
        readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
        readonly reject: (error: unknown) => void;
      }
    | undefined;

  /** `onLeave` runs if the reader leaves before the end. */
  constructor(controller: BodyController, onLeave: () => void) {
    this.#controller = controller;
    this.#onLeave = onLeave;
  }

  // ——— for undici

  /** Adds a chunk. */
  push(chunk: Uint8Array): void {
    if (this.#outcome !== undefined) return;
    if (this.#waiting !== undefined) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered > pauseAbove && !this.#controller.paused) this.#controller.pause();
  }

  /** Ends the body after the chunks that are still buffered. */
  end(): void {
    this.#settle("end");
  }

  /** Fails the body: the reader gets the buffered chunks first, then the error. */
  fail(error: unknown): void {
    this.#settle({ error });
  }

  /** Fails the body immediately and drops the buffered chunks, after an abort. */
  abort(error: unknown): void {
    this.#drop();
    this.#settle({ error });
  }

  // ——— for the reader

  takeWhole(): Uint8Array | undefined {
    if (this.#outcome !== "end" || this.#begun) return undefined;
    this.#begun = true;
    const whole = concatBytes(this.#chunks);
    this.#drop();
    return whole;
  }

  take(): Uint8Array | undefined {
    this.#begun = true;
    const chunk = this.#chunks[this.#head];
    if (chunk === undefined) return undefined;
    this.#head++;
    this.#buffered -= chunk.length;
    if (this.#head === this.#chunks.length) {
      this.#drop();
      if (this.#controller.paused) this.#controller.resume();
    }
    return chunk;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.take();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#outcome !== undefined) this.#finish();
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#drop();
    const early = this.#outcome === undefined;
    this.#settle("end");
    this.#outcome = "end";
    if (early) this.#onLeave();
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(outcome: { readonly error: unknown } | "end"): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#finish();
  }

  /** Settles a waiting reader with the outcome. An error is delivered once. */
  #finish(): void {
    const waiting = this.#waiting;
    const outcome = this.#outcome;
    if (waiting === undefined || outcome === undefined) return;
    this.#waiting = undefined;
    this.#outcome = "end";
    if (outcome === "end") waiting.resolve(done);
    else waiting.reject(outcome.error);
  }

  #drop(): void {
    this.#chunks = [];
    this.#head = 0;
    this.#buffered = 0;
  }
}
