import { ClosedError, TransportError } from "../../errors/errors.js";
import type { AbortGroup, LinkedAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { type IdleTimer, idleTimer } from "../../internal/idle-timer.js";
import type { WholeBody } from "../../transport/direct.js";
import type { BodyIterator, TransportResponse } from "../../transport/transport.js";
import { readBody } from "./read-body.js";
import type { ResponseInfo } from "./response-info.js";
import { withAction } from "./with-action.js";

/** A successful response whose body hasn't been read yet. */
export interface OpenResponse {
  /** Status, headers and warnings. */
  readonly info: ResponseInfo;
  /** The body. Its errors name the action. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Takes the whole body if all of it has arrived; otherwise returns `undefined`. */
  arrived(): Uint8Array | undefined;
  /** Reads the whole body. Returns it synchronously if all of it has arrived. */
  bytes(): Uint8Array | Promise<Uint8Array>;
  /** Ends the response: removes timers and listeners and discards the unread body. */
  close(): void;
}

/** Time limit of a call across its attempts. */
export interface TimeLimit {
  /** Limit for all attempts and waits together, in milliseconds. */
  readonly timeoutMs: number;
  /** Deadline in monotonic milliseconds. */
  readonly deadlineAt: number;
  /** Error of the previous attempt; becomes the `cause` of a timeout. */
  readonly before?: unknown;
}

/** Options for `CallAttempt`. */
export interface CallAttemptOptions {
  /** Describes the call in messages. */
  readonly action: string;
  /** Aborts the attempt. */
  readonly link: LinkedAbort;
  /** Attempts in flight. The attempt is a member until it is released. */
  readonly group: AbortGroup;
  readonly clock: Clock;
  /** Time limit for the whole call. */
  readonly limit: TimeLimit | undefined;
  /** Maximum wait for the next part of the body, in milliseconds; 0 disables the limit. */
  readonly idleTimeoutMs: number;
}

const left = new ClosedError("the response was closed");

/** One attempt of a call: from the request to the end of the response. A class because every request creates one. */
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

  constructor({ action, link, group, clock, limit, idleTimeoutMs }: CallAttemptOptions) {
    this.#action = action;
    this.#link = link;
    this.#group = group;
    this.#clock = clock;
    this.#idleTimeoutMs = idleTimeoutMs;
    group.add(link);
    if (limit !== undefined) {
      const { timeoutMs, deadlineAt, before } = limit;
      // The previous attempt's error explains why the call used up its time.
      const options = { code: "ETIMEDOUT", ...(before !== undefined && { cause: before }) };
      this.#timer = clock.setTimer(
        () => link.abort(new TransportError(`${action}: timed out after ${timeoutMs} ms`, options)),
        Math.max(0, deadlineAt - clock.monotonic()),
      );
    }
  }

  get info(): ResponseInfo {
    return this.#info!;
  }

  /** Records the response's headers. `endless` lifts the time limit: it covers only the wait for the headers. */
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

  /** Adds the action to errors of the body; after an abort it throws the signal's reason instead. */
  #iterate(inner: BodyIterator): BodyIterator {
    const action = this.#action;
    const link = this.#link;
    const idle = (this.#idle = idleTimer(
      this.#idleTimeoutMs === 0 ? undefined : this.#idleTimeoutMs,
      this.#clock,
      (ms) => {
        link.abort(new TransportError(`${action}: received no data for ${ms} ms`, { code: "ETIMEDOUT" }));
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

  /** Cancels the timers and removes the listeners. */
  release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer?.cancel();
    // Needed if the reader stopped between two chunks without calling return().
    this.#idle?.end();
    this.#group.delete(this.#link);
    this.#link.release();
  }

  close(): void {
    this.release();
    this.#link.abort(left);
  }

  /** Ends the attempt after a failure and returns the error to throw. */
  fail(error: unknown): unknown {
    this.release();
    if (this.#link.aborted) return this.#link.reason;
    // Discards the unread body.
    this.#link.abort(left);
    return withAction(error, this.#action);
  }
}
