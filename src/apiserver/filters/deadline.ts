import type { RequestContext } from "../core.js";
import type { RequestInfo } from "../request-info.js";
import type { Filter } from "./filter.js";
import { ApiFailure, badRequest, failure } from "../status.js";

const defaultMs = 60_000;
const longRunning = new Set(["watch", "proxy"]);
const longRunningSubresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Reads a duration as Go writes it, as `1m30s`; `undefined` if it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const match = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.exec(text);
  if (match === null) return undefined;
  const units: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)) total += Number(amount) * units[unit!]!;
  return match[1] === "-" ? -total : total;
}

/** Whether a request may go on for as long as its client wants. */
export function isLongRunning(info: RequestInfo): boolean {
  return longRunning.has(info.verb) || longRunningSubresources.has(info.subresource);
}

/** Milliseconds that a request may take. Throws 400 for a `timeout` that is no duration. */
export function requestTimeoutMs({ query }: RequestContext): number {
  const text = query.get("timeout") ?? "";
  if (text === "") return defaultMs;
  const asked = parseDuration(text);
  if (asked === undefined) throw badRequest(`invalid timeout specified in the request URL - time: ${/^[+-]?\d+(\.\d*)?$/.test(text) ? "missing unit in" : "invalid"} duration ${JSON.stringify(text)}`);
  return asked > 0 ? Math.min(defaultMs, asked) : defaultMs;
}

/** Ends requests that take longer than the client or the server allows; watches and other streams go on. */
export const deadline: Filter = async (context, next) => {
  const { info, core } = context;
  if (isLongRunning(info)) return next(context);
  const limit = requestTimeoutMs(context);
  const controller = new AbortController();
  const outer = context.signal;
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener("abort", onAbort, { once: true });
  const timer = core.clock.setTimer(() => {
    controller.abort(failure(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {}));
  }, limit);
  context.signal = controller.signal;
  try {
    return await next(context);
  } catch (error) {
    if (controller.signal.aborted && controller.signal.reason instanceof ApiFailure) throw controller.signal.reason;
    throw error;
  } finally {
    timer.cancel();
    outer.removeEventListener("abort", onAbort);
  }
};
