import { ClosedError, TransportError } from "../../errors/errors.js";
import type { AbortGroup, LinkedAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { type IdleTimer, idleTimer } from "../../internal/idle-timer.js";
import type { WholeBody } from "../../transport/direct.js";
import type { BodyIterator, TransportResponse } from "../../transport/transport.js";
import { readBody } from "./read-body.js";
import type { ResponseInfo } from "./response-info.js";
import { withAction } from "./with-action.js";

/** A successful response whose body is still to be read. */
export interface OpenResponse {
  /** What came with it. */
  readonly info: ResponseInfo;
  /** The body; breaks with an error that names the action. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body, which is then read, if all of it is there. */
  arrived(): Uint8Array | undefined;
  /** The whole body: at once where all of it is there. */
  bytes(): Uint8Array | Promise<Uint8Array>;
  /** Ends the response: no timer and no listener stays, and what of the body was not read is given up. */
  close(): void;
}

/** What is left of the time of a call. */
export interface TimeLimit {
  /** What all attempts and waits may take together, in milliseconds. */
  readonly timeoutMs: number;
  /** When that is over, in monotonic milliseconds. */
  readonly deadlineAt: number;
  /** What the attempt before failed with. */
  readonly before?: unknown;
}

/** Options for `Exchange`. */
export interface ExchangeOptions {
  /** The call, for messages. */
  readonly action: string;
  /** Ends the attempt. */
  readonly link: LinkedAbort;
  /** Attempts under way; this one is in it as long as it lasts. */
  readonly group: AbortGroup;
  readonly clock: Clock;
  /** Time limit of the whole call. */
  readonly limit: TimeLimit | undefined;
  /** Time limit of each wait for more of the body; 0 for none. */
  readonly idleTimeoutMs: number;
}

const left = new ClosedError("the response was left");

/** One attempt: from the request to the end of its answer. A class, for there is one for each request. */
export class CallAttempt implements OpenResponse {
  readonly #action: string;
  readonly #link: LinkedAbort;
  readonly #group: AbortGroup;
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #timer: Timer | undefined;
  #response: TransportResponse | undefined;
  #info: ResponseInfo | undefined;
  #idle: IdleTimer | undefined;
  #over = false;

  /** Begins an attempt. */
  constructor({ action, link, group, clock, limit, idleTimeoutMs }: ExchangeOptions) {
    this.#action = action;
    this.#link = link;
    this.#group = group;
    this.#clock = clock;
    this.#idleTimeoutMs = idleTimeoutMs;
    group.add(link);
    if (limit !== undefined) {
      const { timeoutMs, deadlineAt, before } = limit;
      // Of a call that was turned away before, that is what explains it.
      const options = { code: "ETIMEDOUT", ...(before !== undefined && { cause: before }) };
      this.#timer = clock.setTimer(
        () => link.abort(new TransportError(`${action}: no answer within ${timeoutMs} ms`, options)),
        Math.max(0, deadlineAt - clock.monotonic()),
      );
    }
  }

  get info(): ResponseInfo {
    return this.#info!;
  }

  /** The answer is there. `endless`: its body has no time limit. */
  answered(response: TransportResponse, info: ResponseInfo, endless: boolean): void {
    this.#response = response;
    this.#info = info;
    if (endless) this.#timer?.cancel();
  }

  arrived(): Uint8Array | undefined {
    return (this.#response!.body as WholeBody).takeWhole?.();
  }

  bytes(): Uint8Array | Promise<Uint8Array> {
    return this.arrived() ?? readBody(this.body);
  }

  get body(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#iterate(this.#response!.body[Symbol.asyncIterator]()) };
  }

  /** Lets the body break with an error that says what was attempted, and with the signal's reason after an abort. */
  #iterate(inner: BodyIterator): BodyIterator {
    const action = this.#action;
    const link = this.#link;
    const idle = (this.#idle = idleTimer(
      this.#idleTimeoutMs === 0 ? undefined : this.#idleTimeoutMs,
      this.#clock,
      (ms) => {
        link.abort(new TransportError(`${action}: nothing came for ${ms} ms`, { code: "ETIMEDOUT" }));
      },
    ));
    return {
      take: () => inner.take?.(),
      async next() {
        idle.begin();
        try {
          const result = await inner.next();
          if (result.done === true) idle.end();
          else idle.pause();
          return result;
        } catch (error) {
          idle.end();
          throw link.aborted && link.reason !== left ? link.reason : withAction(error, action);
        }
      },
      return() {
        idle.end();
        return inner.return?.() ?? Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** Takes timer and listeners away. */
  release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer?.cancel();
    // Of a body that was left between two pieces nobody else ends it.
    this.#idle?.end();
    this.#group.delete(this.#link);
    this.#link.release();
  }

  close(): void {
    this.release();
    this.#link.abort(left);
  }

  /** Gives up after a failure. Answers with the error to throw. */
  fail(error: unknown): unknown {
    this.release();
    if (this.#link.aborted) return this.#link.reason;
    // Gives up what of the body was not read.
    this.#link.abort(left);
    return withAction(error, this.#action);
  }
}
