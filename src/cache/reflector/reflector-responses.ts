import { endlessList, freeEmptyPages } from "../../client/resource/page-turner.js";
import { ProtocolError } from "../../errors/errors.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import type { ListMeta } from "../../meta/list.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { Bookmark, WatchEvent } from "../../meta/watch-event.js";
import { INITIAL_EVENTS_END } from "../../meta/watch-event.js";
import { metadataOf } from "../store/object-key.js";
import { beginWatch, requestPage, watching } from "./reflector-begin.js";
import { bookmarkedIdleMs } from "./reflector-config.js";
import type { ReflectorEvent } from "./reflector-event.js";
import { expired, onFailed, shortWatchMs, wait } from "./reflector-failures.js";
import { listRequest } from "./reflector-request.js";
import type {
  ListingState,
  ListProgress,
  ProbingState,
  ReflectorHistory,
  StreamingState,
  WatchingState,
} from "./reflector-state.js";
import { emptyList, initialReflectorState } from "./reflector-state.js";
import type { ReflectorEnvironment, ReflectorTransition } from "./reflector-transition.js";
import { none } from "./reflector-transition.js";

export function onProbed<T>(
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

export function onSlice<T>(
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

export function onInitialObjects<T>(
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

export function onInitialEvent<T>(
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

export function onEvent<T>(
  state: WatchingState,
  event: WatchEvent<T>,
  env: ReflectorEnvironment,
): ReflectorTransition<T> {
  const { history } = state;
  const bookmark = event.type === "BOOKMARK";
  const version = bookmark ? event.object.metadata.resourceVersion : metadataOf(event.object)?.resourceVersion;
  const idleMs = bookmark && !history.bookmarksSeen ? (env.config.idleTimeoutMs ?? bookmarkedIdleMs) : state.idleMs;
  // Only a watch that lasts is a sign of health, not one that breaks after each event.
  const failed = env.now - state.startedAt >= shortWatchMs ? initialReflectorState.history : history;
  const { resourceVersion: held } = history;
  // It arrived late, so an object may have gone back to an older state: the store is wrong until a list, which replaces
  // the next watch.
  const late = version && held !== undefined && (compareResourceVersions(version, held) ?? 1) < 0;
  // Without spreads, which take V8 thirty times as long.
  const next: WatchingState = {
    phase: "watching",
    history: {
      resourceVersion: late ? held : version || held,
      versionUnusable: late || history.versionUnusable,
      synced: history.synced,
      failures: failed.failures,
      refusals: 0,
      expiries: failed.expiries,
      quickEnds: history.quickEnds,
      quietWatches: 0,
      silentWatches: 0,
      doubtful: history.doubtful,
      streamAttempts: failed.streamAttempts,
      lostPages: history.lostPages,
      noStreamingUntil: history.noStreamingUntil,
      noWatchCache: history.noWatchCache,
      bookmarksSeen: history.bookmarksSeen || bookmark,
    },
    startedAt: state.startedAt,
    progress: state.progress + 1,
    idleMs,
    deadlineAt: env.now + idleMs,
  };
  if (bookmark) return { state: next, events: version ? [{ type: "bookmark", resourceVersion: version }] : none };
  return { state: next, events: [{ type: event.type === "DELETED" ? "delete" : "apply", object: event.object }] };
}
