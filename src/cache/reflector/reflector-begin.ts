import { bookmarkedIdleMs } from "./reflector-config.js";
import type { ReflectorEvent } from "./reflector-event.js";
import { listRequest, streamRequest, watchRequest } from "./reflector-request.js";
import type { ListProgress, OpeningState, ReflectorHistory, WatchingState } from "./reflector-state.js";
import { emptyList } from "./reflector-state.js";
import type { ReflectorEnvironment, ReflectorTransition, RequestState } from "./reflector-transition.js";
import { none } from "./reflector-transition.js";

/** Consecutive watches without events before a probe checks that the server still knows the version. */
const quietWatchesToProbe = 2;

export function beginList<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
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

export function requestPage<T>(
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

export function beginWatch<T>(
  history: ReflectorHistory,
  env: ReflectorEnvironment,
  events: readonly ReflectorEvent<T>[] = none,
): ReflectorTransition<T> {
  const options = watchRequest(history.resourceVersion!, env.config, env.random());
  const watchIdleMs = idleMsOf(history, env, options.timeoutSeconds ?? 0);
  // A server answers a watch at once, whatever happens to the objects later.
  const timing = beginTiming(env, Math.min(watchIdleMs, env.config.listIdleTimeoutMs));
  return {
    state: { phase: "opening", history, ...timing, watchIdleMs },
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

/** Watches from the known version, after a probe if the server might no longer know it. Lists if it is unusable. */
export function resumeWatch<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  if (history.versionUnusable) return beginList(history, env);
  return history.doubtful || history.quietWatches >= quietWatchesToProbe
    ? beginProbe(history, env)
    : beginWatch(history, env);
}

/** Watches again after a watch that lasted. */
export function watchAgain<T>(
  history: ReflectorHistory,
  progress: number,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  return resumeWatch({ ...history, quietWatches: progress === 0 ? history.quietWatches + 1 : 0, quickEnds: 0 }, env);
}

function beginTiming(
  env: ReflectorEnvironment,
  idleMs: number,
): Pick<RequestState, "startedAt" | "idleMs" | "deadlineAt"> {
  return { startedAt: env.now, idleMs, deadlineAt: env.now + idleMs };
}

/** Waits for events once the server has accepted a watch. */
export function onOpened<T>(state: OpeningState, env: ReflectorEnvironment): ReflectorTransition<T> {
  const { history, startedAt, watchIdleMs: idleMs } = state;
  const timing = { startedAt, idleMs, deadlineAt: env.now + idleMs };
  return { state: { phase: "watching", history, ...timing, progress: 0 }, events: none };
}

/** Follows a streaming list that reached its end: its watch goes on. */
export function watching(history: ReflectorHistory, env: ReflectorEnvironment, timeoutSeconds: number): WatchingState {
  return { phase: "watching", history, ...beginTiming(env, idleMsOf(history, env, timeoutSeconds)), progress: 0 };
}

function idleMsOf(history: ReflectorHistory, env: ReflectorEnvironment, timeoutSeconds: number): number {
  return env.config.idleTimeoutMs ?? (history.bookmarksSeen ? bookmarkedIdleMs : timeoutSeconds * 1_000 + 30_000);
}
