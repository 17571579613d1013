import { type LinkedAbort, linkAbort } from "../../internal/abort.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { ApiFailure, badRequest, failure } from "../errors/status.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Filter, FilterContext } from "./filter.js";

/** Default time limit in milliseconds for requests that don't set a shorter one. */
export const defaultTimeoutMs = 60_000;
const longRunning = new Set(["watch", "proxy"]);
const longRunningSubresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const longestMs = 2 ** 63 / 1e6;

/** Quotes a text as ASCII, byte by byte, like Go's errors about durations. */
function quote(text: string): string {
  const escape = (byte: number): string =>
    byte >= 0x20 && byte < 0x7f
      ? String.fromCharCode(byte).replace(/["\\]/, "\\$&")
      : `\\x${byte.toString(16).padStart(2, "0")}`;
  return `"${Array.from(utf8Encode(text), escape).join("")}"`;
}

/** Parses a Go duration such as `1m30s` into milliseconds; returns Go's error text if it is invalid. */
function parseDuration(text: string): number | string {
  const quoted = quote(text);
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0;
  if (unsigned === "") return `invalid duration ${quoted}`;
  let total = 0;
  for (let rest = unsigned; rest !== ""; ) {
    const amount = /^(\d+(?:\.\d*)?|\.\d+)/.exec(rest)?.[0];
    if (amount === undefined || Number.parseInt(amount, 10) >= 2 ** 63) return `invalid duration ${quoted}`;
    const unit = /^[^.\d]*/.exec(rest.slice(amount.length))![0];
    if (unit === "") return `missing unit in duration ${quoted}`;
    if (!Object.hasOwn(units, unit)) return `unknown unit ${quote(unit)} in duration ${quoted}`;
    total += Number(amount) * units[unit]!;
    if (total > longestMs) return `invalid duration ${quoted}`;
    rest = rest.slice(amount.length + unit.length);
  }
  return text.startsWith("-") ? -total : total;
}

/** True for requests without a time limit, such as watches. */
export function isLongRunning(info: RequestInfo): boolean {
  return (
    info.path.startsWith("/debug/pprof/") || longRunning.has(info.verb) || longRunningSubresources.has(info.subresource)
  );
}

/** Returns the time limit of a request in milliseconds, at most `mostMs`. Throws 400 for an invalid `timeout`. */
export function requestTimeoutMs({ query }: FilterContext, mostMs: number): number {
  const text = query.get("timeout") ?? "";
  if (text === "") return mostMs;
  const requested = parseDuration(text);
  if (typeof requested === "string")
    throw badRequest(`invalid timeout specified in the request URL - time: ${requested}`);
  return requested > 0 ? Math.min(mostMs, requested) : mostMs;
}

/** Time limit of a request. Its signal and its timer start when the signal is first read; most requests never do. */
class TimeLimit {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #outer: () => AbortSignal;
  #link: LinkedAbort | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, limitMs: number, outer: () => AbortSignal) {
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + limitMs;
    this.#outer = outer;
  }

  signal(): AbortSignal {
    if (this.#link === undefined) {
      const link = linkAbort(this.#outer());
      this.#timer = this.#clock.setTimer(() => link.abort(timedOut()), this.#endsAt - this.#clock.monotonic());
      this.#link = link;
    }
    return this.#link.signal;
  }

  /** True once the time is over, unless the client left before. */
  isOver(): boolean {
    if (this.#link?.aborted === true) return this.#link.reason instanceof ApiFailure;
    return this.#clock.monotonic() >= this.#endsAt;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#link?.release();
  }
}

function timedOut(): ApiFailure {
  return failure(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {});
}

/** Ends requests that exceed their time limit, at most `mostMs`, except for watches and other streams. */
export function deadline(mostMs: number): Filter {
  return async (context, next) => {
    const { info, services, signal } = context;
    if (isLongRunning(info)) return next(context);
    const limit = new TimeLimit(services.clock, requestTimeoutMs(context, mostMs), signal);
    context.signal = () => limit.signal();
    try {
      return await next(context);
    } catch (error) {
      throw limit.isOver() ? timedOut() : error;
    } finally {
      limit.stop();
      context.signal = signal;
    }
  };
}
