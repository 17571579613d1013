import { endlessList, freeEmptyPages } from "../../client/resource/page-turner.js";
import { ProtocolError, TransportError } from "../../errors/errors.js";
import { StatusError } from "../../errors/status-error.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import type { ListMeta } from "../../meta/list.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { Bookmark, WatchEvent } from "../../meta/watch-event.js";
import { INITIAL_EVENTS_END } from "../../meta/watch-event.js";
import { metadataOf } from "../store/object-key.js";
import type { FailureKind } from "./failure.js";
import { classifyFailure } from "./failure.js";
import type { ReflectorConfig } from "./reflector-config.js";
import { bookmarkedIdleMs } from "./reflector-config.js";
import type { ReflectorAction, ReflectorEvent, ReflectorInput } from "./reflector-event.js";
import { listRequest, streamRequest, watchRequest } from "./reflector-request.js";
import type {
  ListingState,
  ListProgress,
  NextRequest,
  ProbingState,
  ReflectorFailure,
  ReflectorHistory,
  ReflectorState,
  StreamingState,
  WaitingState,
  WatchingState,
} from "./reflector-state.js";
import { emptyList } from "./reflector-state.js";

/** Inputs of `stepReflector` apart from state and event. */
export interface ReflectorEnvironment {
  /** Behavior of the reflector. */
  readonly config: ReflectorConfig;
  /** Current monotonic time (ms). */
  readonly now: number;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** Result of a step. */
export interface ReflectorTransition<T> {
  /** The new state. */
  readonly state: ReflectorState;
  /** Events for the store, in order. */
  readonly events: readonly ReflectorEvent<T>[];
  /** The next request or pause; absent while the current one goes on. */
  readonly action?: ReflectorAction;
}

/** A watch that ends sooner counts as a quick end. */
const shortWatchMs = 1_000;
/** A watch that lived longer was healthy even if nothing arrived. */
const healthyMs = 120_000;
/** Consecutive watches without events before a probe checks that the server still knows the version. */
const quietWatchesToProbe = 2;
const none: readonly never[] = [];

/** A state in which a request is running. */
type RequestState = ListingState | StreamingState | WatchingState | ProbingState;

/**
 * Decides what a reflector does next. A pure function of state, input and environment, without I/O, clock or randomness
 * of its own.
 */
export function stepReflector<T>(
  state: ReflectorState,
  input: ReflectorInput<T>,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  switch (input.type) {
    case "start":
      return start(state.history, env);
    case "elapsed":
      return onElapsed(inPhase<WaitingState>(state, input, "waiting"), env);
    case "initial":
      return onInitialObjects(inPhase<StreamingState>(state, input, "streaming"), input.objects, env);
    case "event":
      return state.phase === "streaming"
        ? onInitialEvent(state, input.event, env)
        : onEvent(inPhase<WatchingState>(state, input, "watching"), input.event, env);
    case "slice":
      return state.phase === "probing"
        ? onProbed(state, input.metadata, env)
        : onSlice(inPhase<ListingState>(state, input, "listing"), input.items, input.metadata, env);
    case "ended":
      return onEnded(inRequest(state, input), env);
    case "silent":
      return onSilent(inRequest(state, input), env);
    case "failed":
      return onFailed(inRequest(state, input), input.error, env);
  }
}

/** Narrows the state to the only phase in which the input can arrive. */
function inPhase<S extends ReflectorState>(
  state: ReflectorState,
  input: { readonly type: string },
  phase: S["phase"],
): S {
  if (state.phase !== phase) throw new TypeError(`reflector: input "${input.type}" in phase "${state.phase}"`);
  return state as S;
}

function inRequest(state: ReflectorState, input: { readonly type: string }): RequestState {
  if (state.phase === "idle" || state.phase === "waiting")
    throw new TypeError(`reflector: input "${input.type}" in phase "${state.phase}"`);
  return state;
}

// ——— Requests

function start<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  return history.synced && history.resourceVersion !== undefined && !history.versionUnusable
    ? beginWatch(history, env)
    : beginList(history, env);
}

function onElapsed<T>({ history, next }: WaitingState, env: ReflectorEnvironment): ReflectorTransition<T> {
  if (next.type === "watch") return resumeWatch(history, env);
  return next.type === "page" ? requestPage(history, next.list, env, none) : beginList(history, env);
}

function beginList<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  const { initialList, maxStreamingAttempts } = env.config;
  const streaming =
    initialList === "stream" ||
    (initialList === "auto" && env.now >= history.noStreamingUntil && history.streamAttempts < maxStreamingAttempts);
  return streaming ? beginStream(history, env) : requestPage(history, emptyList, env, [{ type: "init" }]);
}

function beginStream<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  const timing = beginTiming(env, env.config.bookmarkDeadlineMs);
  return {
    state: { phase: "streaming", history, ...timing, received: 0, progress: 0, liveSeen: false },
    events: [{ type: "init" }],
    action: { type: "watch", options: streamRequest(history, env.config, env.random()) },
  };
}

function requestPage<T>(
  history: ReflectorHistory,
  list: ListProgress,
  env: ReflectorEnvironment,
  events: readonly ReflectorEvent<T>[],
): ReflectorTransition<T> {
  return {
    state: { phase: "listing", history, ...beginTiming(env, env.config.listIdleTimeoutMs), list },
    events,
    action: { type: "list", options: listRequest(history, list.continue, env.config) },
  };
}

function beginWatch<T>(
  history: ReflectorHistory,
  env: ReflectorEnvironment,
  events: readonly ReflectorEvent<T>[] = none,
): ReflectorTransition<T> {
  const options = watchRequest(history.resourceVersion!, env.config, env.random());
  return {
    state: watching(history, env, options.timeoutSeconds ?? 0),
    events,
    action: { type: "watch", options },
  };
}

/**
 * Checks whether the server still knows the version. A server that lost its history accepts a watch from a future
 * version, stays silent until it has passed that version, and then skips the changes in between. It rejects a list from
 * that version.
 */
function beginProbe<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  const request = listRequest({ ...history, versionUnusable: false }, undefined, env.config);
  return {
    state: {
      phase: "probing",
      history: { ...history, quietWatches: 0 },
      ...beginTiming(env, env.config.listIdleTimeoutMs),
    },
    events: none,
    action: { type: "list", options: { ...request, limit: 1 } },
  };
}

/** Watches from the known version, after a probe if the server might no longer know it. */
function resumeWatch<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  return history.doubtful || history.quietWatches >= quietWatchesToProbe
    ? beginProbe(history, env)
    : beginWatch(history, env);
}

/** Watches again after a watch that lasted. */
function watchAgain<T>(history: ReflectorHistory, progress: number, env: ReflectorEnvironment): ReflectorTransition<T> {
  return resumeWatch({ ...history, quietWatches: progress === 0 ? history.quietWatches + 1 : 0, quickEnds: 0 }, env);
}

function beginTiming(
  env: ReflectorEnvironment,
  idleMs: number,
): Pick<RequestState, "startedAt" | "idleMs" | "deadlineAt"> {
  return { startedAt: env.now, idleMs, deadlineAt: env.now + idleMs };
}

function watching(history: ReflectorHistory, env: ReflectorEnvironment, timeoutSeconds: number): WatchingState {
  const idleMs =
    env.config.idleTimeoutMs ?? (history.bookmarksSeen ? bookmarkedIdleMs : timeoutSeconds * 1_000 + 30_000);
  return { phase: "watching", history, ...beginTiming(env, idleMs), progress: 0 };
}

// ——— Responses

function onProbed<T>(
  state: ProbingState,
  metadata: ListMeta | undefined,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  if (metadata === undefined) return { state, events: none };
  const { history } = state;
  const older = (compareResourceVersions(metadata.resourceVersion ?? "", history.resourceVersion ?? "") ?? 0) < 0;
  if (!older) return beginWatch({ ...history, doubtful: false }, env);
  const error = new ProtocolError("the server went back to an older version of the collection");
  return expired({ ...history, versionUnusable: true }, { error, kind: "tooLarge" }, env);
}

function onSlice<T>(
  state: ListingState,
  items: readonly T[],
  metadata: ListMeta | undefined,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { history, list } = state;
  const events: ReflectorEvent<T>[] = items.length === 0 ? [] : [{ type: "initApply", objects: items }];
  const received = list.received + items.length;
  const emptyPages = items.length === 0 ? list.emptyPages : 0;
  if (metadata === undefined)
    return { state: { ...state, list: { ...list, received, emptyPages }, deadlineAt: env.now + state.idleMs }, events };
  const version = list.version ?? metadata.resourceVersion;
  if (metadata.continue !== undefined && metadata.continue !== "") {
    const next = {
      continue: metadata.continue,
      version,
      received,
      remaining: metadata.remainingItemCount,
      emptyPages: emptyPages + 1,
    };
    return turnPage(state, next, env, events);
  }
  if (version === undefined || version === "" || version === "0")
    return onFailed(state, new ProtocolError("the list has no resourceVersion to start a watch from"), env);
  return beginWatch(synced(history, version), env, [...events, { type: "initDone", resourceVersion: version }]);
}

/** Requests the next page, after a pause if too many were empty. */
function turnPage<T>(
  state: ListingState,
  next: ListProgress,
  env: ReflectorEnvironment,
  events: readonly ReflectorEvent<T>[],
): ReflectorTransition<T> {
  const { list } = state;
  // A token that leads back to its own page is useless, so the list starts over.
  if (next.continue === list.continue)
    return onFailed({ ...state, list: emptyList }, new ProtocolError(endlessList), env);
  const fromCache =
    list.continue === undefined && listRequest(state.history, undefined, env.config).resourceVersion === "0";
  const history = { ...state.history, noWatchCache: state.history.noWatchCache || fromCache };
  const empty = next.emptyPages - 1;
  if (empty <= freeEmptyPages) return requestPage(history, next, env, events);
  const error = new ProtocolError(`the last ${empty} pages of the list were empty`);
  const delayMs = backoffDelayMs(env.config.backoff, empty - freeEmptyPages, env.random());
  return wait(history, { error, kind: "protocol", delayMs }, { type: "page", list: next }, env);
}

function synced(history: ReflectorHistory, version: string): ReflectorHistory {
  return {
    ...history,
    resourceVersion: version,
    versionUnusable: false,
    doubtful: false,
    synced: true,
    refusals: 0,
    lostPages: 0,
  };
}

function onInitialObjects<T>(
  state: StreamingState,
  objects: readonly T[],
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const count = objects.length;
  // Live events don't postpone the deadline for the end of the initial objects.
  const deadlineAt = state.liveSeen ? state.deadlineAt : env.now + state.idleMs;
  return {
    state: { ...state, progress: state.progress + count, deadlineAt, received: state.received + count },
    events: [{ type: "initApply", objects }],
  };
}

function onInitialEvent<T>(
  state: StreamingState,
  event: WatchEvent<T>,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  if (event.type === "ADDED") return onInitialObjects(state, [event.object], env);
  if (event.type === "BOOKMARK") return onInitialBookmark(state, event.object, env);
  return {
    state: { ...state, progress: state.progress + 1, liveSeen: true, received: state.received + 1 },
    events: [
      event.type === "DELETED"
        ? { type: "initDelete", object: event.object }
        : { type: "initApply", objects: [event.object] },
    ],
  };
}

function onInitialBookmark<T>(
  state: StreamingState,
  bookmark: Bookmark,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { annotations, resourceVersion } = bookmark.metadata;
  const progress = state.progress + 1;
  const history = { ...state.history, bookmarksSeen: true };
  if (annotations?.[INITIAL_EVENTS_END] !== "true") return { state: { ...state, history, progress }, events: none };
  if (!resourceVersion)
    return onFailed(state, new ProtocolError("the end bookmark of the streaming list has no resourceVersion"), env);
  const done = { ...synced(history, resourceVersion), streamAttempts: 0 };
  const { startedAt } = state;
  return {
    state: { ...watching(done, env, env.config.watchTimeoutSeconds.max), startedAt, progress },
    events: [{ type: "initDone", resourceVersion }],
  };
}

function onEvent<T>(state: WatchingState, event: WatchEvent<T>, env: ReflectorEnvironment): ReflectorTransition<T> {
  const { history } = state;
  const bookmark = event.type === "BOOKMARK";
  const version = bookmark ? event.object.metadata.resourceVersion : metadataOf(event.object)?.resourceVersion;
  const idleMs = bookmark && !history.bookmarksSeen ? (env.config.idleTimeoutMs ?? bookmarkedIdleMs) : state.idleMs;
  // Only a watch that lasts is a sign of health, not one that breaks after each event.
  const healthy = env.now - state.startedAt >= shortWatchMs;
  const next: WatchingState = {
    ...state,
    history: {
      ...history,
      resourceVersion: newest(history.resourceVersion, version),
      failures: healthy ? 0 : history.failures,
      refusals: 0,
      expiries: healthy ? 0 : history.expiries,
      streamAttempts: healthy ? 0 : history.streamAttempts,
      quietWatches: 0,
      bookmarksSeen: history.bookmarksSeen || bookmark,
    },
    progress: state.progress + 1,
    idleMs,
    deadlineAt: env.now + idleMs,
  };
  if (bookmark) return { state: next, events: version ? [{ type: "bookmark", resourceVersion: version }] : none };
  return { state: next, events: [{ type: event.type === "DELETED" ? "delete" : "apply", object: event.object }] };
}

function newest(held: string | undefined, seen: string | undefined): string | undefined {
  if (seen === undefined || seen === "") return held;
  if (held === undefined) return seen;
  return (compareResourceVersions(seen, held) ?? 1) > 0 ? seen : held;
}

// ——— Ends and failures

function onEnded<T>(state: RequestState, env: ReflectorEnvironment): ReflectorTransition<T> {
  if (state.phase === "watching") return onWatchEnded(state, env);
  if (state.phase === "streaming") {
    const error = new TransportError("the streaming list ended before its end bookmark");
    return streamLost(state.history, { error, kind: "transport" }, env, true);
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

function onSilent<T>(state: RequestState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const seconds = Math.round((env.now - state.startedAt) / 1_000);
  if (state.phase === "streaming") {
    if (env.config.initialList !== "stream") return withoutStreaming(state.history, env);
    const error = new TransportError(`the streaming list sent no end bookmark within ${seconds} s`);
    return streamLost(state.history, { error, kind: "transport" }, env);
  }
  // The idle time was pause enough: go on right away.
  if (state.phase === "watching") return watchAgain({ ...state.history, doubtful: true }, state.progress, env);
  return onFailed(state, new TransportError(`received no data for ${seconds} s`), env);
}

function onFailed<T>(state: RequestState, error: unknown, env: ReflectorEnvironment): ReflectorTransition<T> {
  const failure = { error, kind: classifyFailure(error) };
  const { history } = state;
  if (state.phase === "listing") return listFailed(state, failure, env);
  if (state.phase === "streaming") return streamFailed(history, failure, env);
  if (state.phase === "probing") return watchFailed(history, failure, env);
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
  return streamLost(history, failure, env, kind === "protocol");
}

/**
 * Retries a stream that broke before its end a few times, then lists. `answered`: the server's response shows that it
 * cannot stream.
 */
function streamLost<T>(
  history: ReflectorHistory,
  failure: ReflectorFailure,
  env: ReflectorEnvironment,
  answered = false,
): ReflectorTransition<T> {
  const streamAttempts = history.streamAttempts + 1;
  const lost = { ...history, streamAttempts, failures: history.failures + 1 };
  if (env.config.initialList === "auto" && streamAttempts >= env.config.maxStreamingAttempts)
    return answered ? withoutStreaming(lost, env) : beginList(lost, env);
  return backOff(lost, failure, { type: "list" }, env);
}

function withoutStreaming<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  const noStreamingUntil = env.now + env.config.streamingRetryAfterMs;
  return beginList({ ...history, noStreamingUntil, streamAttempts: 0 }, env);
}

/** Lists again: immediately the first two times, with backoff after that. */
function expired<T>(
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

function wait<T>(
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
