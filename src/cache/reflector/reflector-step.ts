import { ProtocolError, TransportError } from "../../errors/errors.js";
import { StatusError } from "../../errors/status-error.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import type { ListMeta } from "../../meta/list.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { WatchEvent } from "../../meta/watch-event.js";
import { INITIAL_EVENTS_END } from "../../meta/watch-event.js";
import { metadataOf } from "../store/object-key.js";
import type { FailureKind } from "./failure.js";
import { classifyFailure } from "./failure.js";
import type { ReflectorConfig } from "./reflector-config.js";
import { bookmarkedIdleMs } from "./reflector-config.js";
import type { ReflectorAction, ReflectorEvent, ReflectorInput } from "./reflector-event.js";
import { listRequest, streamRequest, watchRequest } from "./reflector-request.js";
import type { ReflectorState } from "./reflector-state.js";

/** What `stepReflector` is given besides state and input. */
export interface ReflectorEnvironment {
  /** How the reflector is to behave. */
  readonly config: ReflectorConfig;
  /** Monotonic milliseconds. */
  readonly now: number;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** What follows from an input. */
export interface ReflectorTransition<T> {
  /** The new state. */
  readonly state: ReflectorState;
  /** What the store is told, in order. */
  readonly events: readonly ReflectorEvent<T>[];
  /** What is done next; absent to go on with what runs. */
  readonly action?: ReflectorAction;
}

/** A watch that lives shorter is suspect. */
const shortWatchMs = 1_000;
/** A watch that lived longer was healthy although nothing came. */
const healthyMs = 120_000;
/** Watches that bring nothing until it is asked whether the server still knows the version. */
const quietWatchesToProbe = 2;
const none: readonly never[] = [];

/** The whole behaviour of a reflector as a pure function: no I/O, no time, no chance of its own. */
export function stepReflector<T>(
  state: ReflectorState,
  input: ReflectorInput<T>,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  switch (input.type) {
    case "start":
      return state.synced && state.resourceVersion !== undefined && !state.versionUnusable
        ? beginWatch(state, env)
        : beginList(state, env);
    case "event":
      return state.phase === "streaming" ? onInitialEvent(state, input.event, env) : onEvent(state, input.event, env);
    case "initial":
      return onInitialObjects(state, input.objects, env);
    case "slice":
      return onSlice(state, input.items, input.metadata, env);
    case "ended":
      return onEnded(state, env);
    case "silent":
      return onSilent(state, env);
    case "failed":
      return onFailed(state, input.error, env);
    case "elapsed":
      if (state.next === "watch") return beginWatch(state, env);
      return state.next === "page" ? requestPage(state, env, none) : beginList(state, env);
  }
}

function beginList<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const fresh: ReflectorState = {
    ...state,
    continue: undefined,
    listVersion: undefined,
    received: 0,
    remaining: undefined,
  };
  const { initialList } = env.config;
  const streaming =
    initialList === "stream" ||
    (initialList === "auto" &&
      env.now >= state.noStreamingUntil &&
      state.streamTries < env.config.maxStreamingAttempts);
  return streaming ? beginStream(fresh, env) : requestPage(fresh, env, [{ type: "init" }]);
}

function beginStream<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  return {
    state: { ...started(state, "streaming", env, env.config.bookmarkDeadlineMs), liveSeen: false },
    events: [{ type: "init" }],
    action: { type: "watch", options: streamRequest(state, env.config, env.random()) },
  };
}

function requestPage<T>(
  state: ReflectorState,
  env: ReflectorEnvironment,
  events: readonly ReflectorEvent<T>[],
): ReflectorTransition<T> {
  return {
    state: started(state, "listing", env, env.config.listIdleTimeoutMs),
    events,
    action: { type: "list", options: listRequest(state, env.config) },
  };
}

function beginWatch<T>(
  state: ReflectorState,
  env: ReflectorEnvironment,
  events: readonly ReflectorEvent<T>[] = none,
): ReflectorTransition<T> {
  const options = watchRequest(state.resourceVersion!, env.config, env.random());
  return { state: watching(state, env, options.timeoutSeconds ?? 0), events, action: { type: "watch", options } };
}

/**
 * A server that lost its history serves a watch from a version that lies in its future, and says nothing on it for ever.
 * Whoever hears nothing for long asks for a list of one object from that version: it is refused if that is so.
 */
function beginProbe<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  return {
    state: { ...started(state, "probing", env, env.config.listIdleTimeoutMs), quietWatches: 0 },
    events: none,
    action: {
      type: "list",
      options: { ...listRequest({ ...state, continue: undefined, versionUnusable: false }, env.config), limit: 1 },
    },
  };
}

/** Watches again, or looks first whether the server still knows the version. */
function watchAgain<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const quietWatches = state.progress === 0 ? state.quietWatches + 1 : 0;
  const next = { ...state, quietWatches, quickEnds: 0 };
  return quietWatches >= quietWatchesToProbe ? beginProbe(next, env) : beginWatch(next, env);
}

function started(
  state: ReflectorState,
  phase: ReflectorState["phase"],
  env: ReflectorEnvironment,
  idleMs: number,
): ReflectorState {
  return { ...state, phase, startedAt: env.now, progress: 0, idleMs, deadlineAt: env.now + idleMs, failure: undefined };
}

function watching(state: ReflectorState, env: ReflectorEnvironment, timeoutSeconds: number): ReflectorState {
  const idleMs = env.config.idleTimeoutMs ?? (state.bookmarksSeen ? bookmarkedIdleMs : timeoutSeconds * 1_000 + 30_000);
  return started(state, "watching", env, idleMs);
}

function onSlice<T>(
  state: ReflectorState,
  items: readonly T[],
  metadata: ListMeta | undefined,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  if (state.phase === "probing") return metadata === undefined ? { state, events: none } : beginWatch(state, env);
  const events: ReflectorEvent<T>[] = items.length === 0 ? [] : [{ type: "initApply", objects: items }];
  const received = state.received + items.length;
  if (metadata === undefined) {
    return { state: { ...state, received, progress: state.progress + 1, deadlineAt: env.now + state.idleMs }, events };
  }
  const fromCache = state.continue === undefined && listRequest(state, env.config).resourceVersion === "0";
  const more = metadata.continue !== undefined && metadata.continue !== "";
  const after: ReflectorState = {
    ...state,
    received,
    remaining: metadata.remainingItemCount,
    listVersion: state.listVersion ?? metadata.resourceVersion,
    continue: more ? metadata.continue : undefined,
    noWatchCache: state.noWatchCache || (fromCache && more),
  };
  if (more) return requestPage(after, env, events);
  const version = after.listVersion;
  if (version === undefined || version === "" || version === "0") {
    return onFailed(state, new ProtocolError("a list without a resourceVersion: no watch can follow it"), env);
  }
  return beginWatch(synced(after, version), env, [...events, { type: "initDone", resourceVersion: version }]);
}

function synced(state: ReflectorState, version: string): ReflectorState {
  return {
    ...state,
    resourceVersion: version,
    versionUnusable: false,
    synced: true,
    refusals: 0,
    lostPages: 0,
    continue: undefined,
    remaining: undefined,
  };
}

function onInitialObjects<T>(
  state: ReflectorState,
  objects: readonly T[],
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const count = objects.length;
  // What changes is live already: it does not put off the deadline for the end of what was there.
  const deadlineAt = state.liveSeen ? state.deadlineAt : env.now + state.idleMs;
  return {
    state: { ...state, progress: state.progress + count, deadlineAt, received: state.received + count },
    events: [{ type: "initApply", objects }],
  };
}

function onInitialEvent<T>(
  state: ReflectorState,
  event: WatchEvent<T>,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  if (event.type === "ADDED") return onInitialObjects(state, [event.object], env);
  const progress = state.progress + 1;
  if (event.type === "BOOKMARK") {
    const { annotations, resourceVersion } = event.object.metadata;
    if (annotations?.[INITIAL_EVENTS_END] !== "true")
      return { state: { ...state, progress, bookmarksSeen: true }, events: none };
    if (!resourceVersion)
      return onFailed(
        state,
        new ProtocolError("the bookmark that ends the initial events has no resourceVersion"),
        env,
      );
    const done = {
      ...synced(state, resourceVersion),
      bookmarksSeen: true,
      streamTries: 0,
      listVersion: resourceVersion,
    };
    const { startedAt } = state;
    return {
      state: { ...watching(done, env, env.config.watchTimeoutSeconds.max), startedAt, progress },
      events: [{ type: "initDone", resourceVersion }],
    };
  }
  return {
    state: { ...state, progress, liveSeen: true, received: state.received + 1 },
    events: [
      event.type === "DELETED"
        ? { type: "initDelete", object: event.object }
        : { type: "initApply", objects: [event.object] },
    ],
  };
}

function onEvent<T>(state: ReflectorState, event: WatchEvent<T>, env: ReflectorEnvironment): ReflectorTransition<T> {
  const bookmark = event.type === "BOOKMARK";
  const version = bookmark ? event.object.metadata.resourceVersion : metadataOf(event.object)?.resourceVersion;
  const idleMs = bookmark && !state.bookmarksSeen ? (env.config.idleTimeoutMs ?? bookmarkedIdleMs) : state.idleMs;
  // Only a watch that holds is a sign of health: one that brings an event and breaks, again and again, is not.
  const healthy = env.now - state.startedAt >= shortWatchMs;
  const next: ReflectorState = {
    ...state,
    resourceVersion: newest(state.resourceVersion, version),
    failures: healthy ? 0 : state.failures,
    refusals: 0,
    expiries: healthy ? 0 : state.expiries,
    streamTries: healthy ? 0 : state.streamTries,
    quietWatches: 0,
    progress: state.progress + 1,
    idleMs,
    bookmarksSeen: state.bookmarksSeen || bookmark,
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

function onEnded<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  if (state.phase === "listing" || state.phase === "probing")
    return onFailed(state, new ProtocolError("the list ended without its metadata"), env);
  if (state.phase === "streaming")
    return streamLost(
      state,
      new TransportError("the stream ended before its initial events were whole"),
      "transport",
      env,
      true,
    );
  const alive = env.now - state.startedAt;
  const rested = alive >= healthyMs ? { ...state, failures: 0, expiries: 0, streamTries: 0 } : state;
  if (alive >= shortWatchMs) return watchAgain(rested, env);
  if (state.progress === 0) {
    return watchFailed(
      { ...rested, quickEnds: state.quickEnds + 1 },
      new TransportError("the watch ended at once and brought nothing"),
      "server",
      env,
    );
  }
  const quickEnds = state.quickEnds + 1;
  if (quickEnds === 1) return beginWatch({ ...rested, quickEnds }, env);
  const delayMs = backoffDelayMs(env.config.backoff, quickEnds - 1, env.random());
  return wait(
    { ...rested, quickEnds },
    new TransportError("the watch ends again and again within a second"),
    "transport",
    delayMs,
    "watch",
    env,
  );
}

function onSilent<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const seconds = Math.round((env.now - state.startedAt) / 1_000);
  if (state.phase === "streaming") {
    const error = new TransportError(`no end of the initial events after ${seconds} s`);
    return env.config.initialList === "stream"
      ? streamLost(state, error, "transport", env)
      : withoutStreaming(state, env);
  }
  // The silence was the pause: what was good before is asked for again at once.
  if (state.phase === "watching") return watchAgain(state, env);
  return onFailed(state, new TransportError(`nothing arrived for ${seconds} s`), env);
}

function onFailed<T>(state: ReflectorState, error: unknown, env: ReflectorEnvironment): ReflectorTransition<T> {
  const kind = classifyFailure(error);
  if (state.phase === "listing") return listFailed(state, error, kind, env);
  if (state.phase === "streaming") return streamFailed(state, error, kind, env);
  if (state.phase === "probing") return watchFailed(state, error, kind, env);
  const alive = env.now - state.startedAt;
  // A connection that carried something and then broke is as good as a clean end.
  if (kind === "transport" && (state.progress > 0 || alive >= shortWatchMs)) return onEnded(state, env);
  return watchFailed(alive >= healthyMs ? { ...state, failures: 0, expiries: 0 } : state, error, kind, env);
}

function watchFailed<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  if (kind === "expired" || kind === "tooLarge")
    return expired({ ...state, versionUnusable: kind === "tooLarge" }, error, kind, env);
  if (isRefusal(kind)) return refused(state, error, kind, kind === "notFound" ? "list" : "watch", env);
  const failures = state.failures + 1;
  // A broken connection says nothing of the version; any other answer, repeated, may mean that it is the trouble.
  const next = failures > 1 && kind !== "transport" && kind !== "throttled" ? "list" : "watch";
  return backOff({ ...state, failures }, error, kind, next, env);
}

function listFailed<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const versioned = state.continue === undefined && listRequest(state, env.config).resourceVersion !== undefined;
  if (kind === "expired" || kind === "tooLarge") {
    const lostPages = state.lostPages + (state.continue === undefined ? 0 : 1);
    return expired({ ...state, versionUnusable: state.versionUnusable || versioned, lostPages }, error, kind, env);
  }
  if (isRefusal(kind)) return refused(state, error, kind, "list", env);
  const failures = state.failures + 1;
  const versionUnusable = state.versionUnusable || (versioned && kind === "unsupported");
  // What came stays: only the page that failed is asked for again, as long as it is not its token that is wrong.
  const next = state.continue !== undefined && kind !== "unsupported" ? "page" : "list";
  return backOff({ ...state, failures, versionUnusable }, error, kind, next, env);
}

function streamFailed<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  if (kind === "expired" || kind === "tooLarge") return expired({ ...state, versionUnusable: true }, error, kind, env);
  if (kind === "throttled") return backOff({ ...state, failures: state.failures + 1 }, error, kind, "list", env);
  if (kind === "unauthorized" || kind === "notFound") return refused(state, error, kind, "list", env);
  if (env.config.initialList === "auto") {
    if (kind === "unsupported") return withoutStreaming(state, env);
    // Who may not watch may still list; what the watch that follows meets is then shown.
    if (kind === "forbidden") return requestPage(state, env, [{ type: "init" }]);
  }
  if (kind === "forbidden") return refused(state, error, kind, "list", env);
  return streamLost(state, error, kind, env, kind === "protocol");
}

/** A stream that broke before its end is tried again a few times, then a list is made. Where the server `answered`, it is what it can do. */
function streamLost<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  env: ReflectorEnvironment,
  answered = false,
): ReflectorTransition<T> {
  const streamTries = state.streamTries + 1;
  const lost = { ...state, streamTries, failures: state.failures + 1 };
  if (env.config.initialList === "auto" && streamTries >= env.config.maxStreamingAttempts) {
    return answered ? withoutStreaming(lost, env) : beginList(lost, env);
  }
  return backOff(lost, error, kind, "list", env);
}

function withoutStreaming<T>(state: ReflectorState, env: ReflectorEnvironment): ReflectorTransition<T> {
  return beginList({ ...state, noStreamingUntil: env.now + env.config.streamingRetryAfterMs, streamTries: 0 }, env);
}

/** The first time another list follows at once; only repetition is slowed down. */
function expired<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const expiries = state.expiries + 1;
  if (expiries <= 2) return beginList({ ...state, expiries }, env);
  return wait(
    { ...state, expiries },
    error,
    kind,
    backoffDelayMs(env.config.backoff, expiries - 2, env.random()),
    "list",
    env,
  );
}

function isRefusal(kind: FailureKind): boolean {
  return kind === "unauthorized" || kind === "forbidden" || kind === "notFound";
}

function refused<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  next: "list" | "watch",
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const refusals = state.refusals + 1;
  const delayMs = Math.max(backoffDelayMs(env.config.refusedBackoff, refusals, env.random()), retryAfterMs(error, env));
  return wait({ ...state, refusals }, error, kind, delayMs, next, env);
}

function backOff<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  next: ReflectorState["next"],
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const delayMs = Math.max(backoffDelayMs(env.config.backoff, state.failures, env.random()), retryAfterMs(error, env));
  return wait(state, error, kind, delayMs, next, env);
}

function retryAfterMs(error: unknown, env: ReflectorEnvironment): number {
  const asked = error instanceof StatusError ? error.retryAfterMs : undefined;
  // Spread, or all clients that were turned away come back in the same moment.
  return asked === undefined ? 0 : Math.min(asked, env.config.retryAfterCapMs) * (1 + 0.25 * env.random());
}

function wait<T>(
  state: ReflectorState,
  error: unknown,
  kind: FailureKind,
  delayMs: number,
  next: ReflectorState["next"],
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const failure = { error, kind, delayMs, until: env.now + delayMs };
  return {
    state: { ...state, phase: "waiting", next, failure, deadlineAt: Infinity },
    events: none,
    action: { type: "wait", delayMs },
  };
}
