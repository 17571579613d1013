import { ProtocolError, TransportError } from "../../errors/errors.js";
import { StatusError } from "../../errors/status-error.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import type { FailureKind } from "./failure.js";
import { classifyFailure } from "./failure.js";
import { beginList, requestPage, resumeWatch, watchAgain } from "./reflector-begin.js";
import { bookmarkedIdleMs } from "./reflector-config.js";
import { listRequest } from "./reflector-request.js";
import type {
  ListingState,
  NextRequest,
  OpeningState,
  ReflectorFailure,
  ReflectorHistory,
  WatchingState,
} from "./reflector-state.js";
import { emptyList } from "./reflector-state.js";
import type { ReflectorEnvironment, ReflectorTransition, RequestState } from "./reflector-transition.js";
import { none } from "./reflector-transition.js";

/** A watch that ends sooner counts as a quick end. */
export const shortWatchMs = 1_000;
/** Consecutive silent watches after which the informer lists. */
const silentWatchesToList = 2;
/** A watch that lived longer was healthy even if nothing arrived. */
const healthyMs = 120_000;

export function onEnded<T>(state: RequestState, env: ReflectorEnvironment): ReflectorTransition<T> {
  if (state.phase === "watching") return onWatchEnded(state, env);
  if (state.phase === "streaming") {
    const error = new TransportError("the streaming list ended before its end bookmark");
    return streamLost(state.history, { error, kind: "transport" }, env, withoutStreaming);
  }
  return onFailed(state, new ProtocolError("the list response ended before its metadata"), env);
}

function onWatchEnded<T>(state: WatchingState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const alive = env.now - state.startedAt;
  const history =
    alive >= healthyMs ? { ...state.history, failures: 0, expiries: 0, streamAttempts: 0 } : state.history;
  if (alive >= shortWatchMs) return watchAgain(history, state.progress, env);
  const quickEnds = history.quickEnds + 1;
  const ended = { ...history, quickEnds };
  if (state.progress === 0) {
    const error = new TransportError("the watch ended within a second without an event");
    return watchFailed(ended, { error, kind: "server" }, env);
  }
  if (quickEnds === 1) return resumeWatch(ended, env);
  const error = new TransportError("the watch repeatedly ended within a second");
  const delayMs = backoffDelayMs(env.config.backoff, quickEnds - 1, env.random());
  return wait(ended, { error, kind: "transport", delayMs }, { type: "watch" }, env);
}

export function onSilent<T>(state: RequestState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const seconds = Math.round((env.now - state.startedAt) / 1_000);
  if (state.phase === "streaming") {
    if (env.config.initialList !== "stream") return withoutStreaming(state.history, env);
    const error = new TransportError(`the streaming list sent no end bookmark within ${seconds} s`);
    return streamLost(state.history, { error, kind: "transport" }, env, beginList);
  }
  if (state.phase === "watching") return onSilentWatch(state, seconds, env);
  if (state.phase === "opening") return onUnanswered(state, seconds, env);
  return onFailed(state, new TransportError(`received no data for ${seconds} s`), env);
}

/** Requests the watch again after a pause. If that repeats, lists may still be answered, such as behind a proxy. */
function onUnanswered<T>(
  { history }: OpeningState,
  seconds: number,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const silentWatches = history.silentWatches + 1;
  const error = new TransportError(`the server did not answer a watch within ${seconds} s`);
  const next = silentWatches < silentWatchesToList ? "watch" : "list";
  const doubtful = { ...history, doubtful: true, silentWatches, failures: history.failures + 1 };
  return backOff(doubtful, { error, kind: "transport" }, { type: next }, env);
}

/** Watches again. If watches outlast bookmarks and their own timeout in silence, something holds their events back. */
function onSilentWatch<T>(state: WatchingState, seconds: number, env: ReflectorEnvironment): ReflectorTransition<T> {
  const { progress } = state;
  const silentWatches = progress === 0 ? state.history.silentWatches + 1 : 0;
  const history = { ...state.history, doubtful: true, silentWatches };
  // The idle time was pause enough: go on right away.
  const impatient = env.config.idleTimeoutMs !== undefined && env.config.idleTimeoutMs < bookmarkedIdleMs;
  if (silentWatches < silentWatchesToList || impatient) return watchAgain(history, progress, env);
  // Only lists show the changes then.
  const error = new TransportError(
    `the last ${silentWatches} watches sent nothing, not even a bookmark, for ${seconds} s`,
  );
  return backOff({ ...history, failures: history.failures + 1 }, { error, kind: "transport" }, { type: "list" }, env);
}

export function onFailed<T>(state: RequestState, error: unknown, env: ReflectorEnvironment): ReflectorTransition<T> {
  const failure = { error, kind: classifyFailure(error) };
  const { history } = state;
  if (state.phase === "listing") return listFailed(state, failure, env);
  if (state.phase === "streaming") return streamFailed(history, failure, env);
  if (state.phase === "probing" || state.phase === "opening") return watchFailed(history, failure, env);
  const alive = env.now - state.startedAt;
  // A connection that delivered something before it broke counts as a clean end.
  if (failure.kind === "transport" && (state.progress > 0 || alive >= shortWatchMs))
    return onWatchEnded({ ...state, history: { ...history, doubtful: true } }, env);
  return watchFailed(alive >= healthyMs ? { ...history, failures: 0, expiries: 0 } : history, failure, env);
}

function watchFailed<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { kind } = failure;
  if (isExpiry(kind)) return expired({ ...history, versionUnusable: kind === "tooLarge" }, failure, env);
  if (isRefusal(kind)) return refused(history, failure, { type: kind === "notFound" ? "list" : "watch" }, env);
  const failures = history.failures + 1;
  const doubtful = history.doubtful || kind !== "throttled";
  // A broken connection says nothing about the version. Any other repeated error may be caused by it.
  const next = failures > 1 && kind !== "transport" && kind !== "throttled" ? "list" : "watch";
  return backOff({ ...history, failures, doubtful }, failure, { type: next }, env);
}

function listFailed<T>(
  { history, list }: ListingState,
  failure: ReflectorFailure,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { kind } = failure;
  const versioned =
    list.continue === undefined && listRequest(history, undefined, env.config).resourceVersion !== undefined;
  if (isExpiry(kind)) {
    const lostPages = history.lostPages + (list.continue === undefined ? 0 : 1);
    return expired({ ...history, versionUnusable: history.versionUnusable || versioned, lostPages }, failure, env);
  }
  if (isRefusal(kind)) return refused(history, failure, { type: "list" }, env);
  const versionUnusable = history.versionUnusable || (versioned && kind === "unsupported");
  // Keep earlier pages and request only the failed one again, unless its token is at fault.
  const keepsPages = list.continue !== undefined && kind !== "unsupported";
  return backOff(
    { ...history, failures: history.failures + 1, versionUnusable },
    failure,
    keepsPages ? { type: "page", list } : { type: "list" },
    env,
  );
}

function streamFailed<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { kind } = failure;
  if (isExpiry(kind)) return expired({ ...history, versionUnusable: true }, failure, env);
  if (kind === "throttled")
    return backOff({ ...history, failures: history.failures + 1 }, failure, { type: "list" }, env);
  if (kind === "unauthorized" || kind === "notFound") return refused(history, failure, { type: "list" }, env);
  if (env.config.initialList === "auto") {
    if (kind === "unsupported") return withoutStreaming(history, env);
    // A user without the watch verb may still list. The watch that follows then reports the refusal.
    if (kind === "forbidden") return requestPage(history, emptyList, env, [{ type: "init" }]);
  }
  if (kind === "forbidden") return refused(history, failure, { type: "list" }, env);
  return streamLost(history, failure, env, kind === "protocol" ? withoutStreaming : beginList);
}

/**
 * Retries a stream that broke before its end a few times, then lists with `list`: `withoutStreaming` if the server's
 * response shows that it can't stream.
 */
function streamLost<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  env: ReflectorEnvironment,
  list: typeof withoutStreaming,
): ReflectorTransition<T> {
  const streamAttempts = history.streamAttempts + 1;
  const lost = { ...history, streamAttempts, failures: history.failures + 1 };
  if (env.config.initialList === "auto" && streamAttempts >= env.config.maxStreamingAttempts) return list(lost, env);
  return backOff(lost, failure, { type: "list" }, env);
}

function withoutStreaming<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  const noStreamingUntil = env.now + env.config.streamingRetryAfterMs;
  return beginList({ ...history, noStreamingUntil, streamAttempts: 0 }, env);
}

/** Lists again: immediately the first two times, with backoff after that. */
export function expired<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const expiries = history.expiries + 1;
  if (expiries <= 2) return beginList({ ...history, expiries }, env);
  const delayMs = backoffDelayMs(env.config.backoff, expiries - 2, env.random());
  return wait({ ...history, expiries }, { ...failure, delayMs }, { type: "list" }, env);
}

function isExpiry(kind: FailureKind): boolean {
  return kind === "expired" || kind === "tooLarge";
}

function isRefusal(kind: FailureKind): boolean {
  return kind === "unauthorized" || kind === "forbidden" || kind === "notFound";
}

function refused<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  next: NextRequest,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const refusals = history.refusals + 1;
  const delayMs = Math.max(
    backoffDelayMs(env.config.refusedBackoff, refusals, env.random()),
    retryAfterMs(failure.error, env),
  );
  return wait({ ...history, refusals }, { ...failure, delayMs }, next, env);
}

function backOff<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  next: NextRequest,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const delayMs = Math.max(
    backoffDelayMs(env.config.backoff, history.failures, env.random()),
    retryAfterMs(failure.error, env),
  );
  return wait(history, { ...failure, delayMs }, next, env);
}

function retryAfterMs(error: unknown, env: ReflectorEnvironment): number {
  const requested = error instanceof StatusError ? error.retryAfterMs : undefined;
  // Jitter, so that throttled clients don't all return at the same moment.
  return requested === undefined ? 0 : Math.min(requested, env.config.retryAfterCapMs) * (1 + 0.25 * env.random());
}

export function wait<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure & { readonly delayMs: number },
  next: NextRequest,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { delayMs } = failure;
  return {
    state: { phase: "waiting", history, failure: { ...failure, until: env.now + delayMs }, next },
    events: none,
    action: { type: "wait", delayMs },
  };
}
