import { beginList, beginWatch, onOpened, requestPage, resumeWatch } from "./reflector-begin.js";
import type { ReflectorInput } from "./reflector-event.js";
import { onEnded, onFailed, onSilent } from "./reflector-failures.js";
import { onEvent, onInitialEvent, onInitialObjects, onProbed, onSlice } from "./reflector-responses.js";
import type {
  ListingState,
  OpeningState,
  ReflectorHistory,
  ReflectorState,
  StreamingState,
  WaitingState,
  WatchingState,
} from "./reflector-state.js";
import type { ReflectorEnvironment, ReflectorTransition, RequestState } from "./reflector-transition.js";
import { none } from "./reflector-transition.js";

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
    case "opened":
      return onOpened(inPhase<OpeningState>(state, input, "opening"), env);
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
    case "reopen":
      return state.phase === "streaming"
        ? beginList(state.history, env)
        : beginWatch(inPhase<WatchingState>(state, input, "watching").history, env);
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
  if (state.phase !== phase) throw wrongPhase(state, input);
  return state as S;
}

function inRequest(state: ReflectorState, input: { readonly type: string }): RequestState {
  if (state.phase === "idle" || state.phase === "waiting") throw wrongPhase(state, input);
  return state;
}

function wrongPhase({ phase }: ReflectorState, { type }: { readonly type: string }): TypeError {
  return new TypeError(`reflector: input "${type}" in phase "${phase}"`);
}

function start<T>(history: ReflectorHistory, env: ReflectorEnvironment): ReflectorTransition<T> {
  return history.synced && history.resourceVersion !== undefined && !history.versionUnusable
    ? resumeWatch(history, env)
    : beginList(history, env);
}

function onElapsed<T>({ history, next }: WaitingState, env: ReflectorEnvironment): ReflectorTransition<T> {
  if (next.type === "watch") return resumeWatch(history, env);
  return next.type === "page" ? requestPage(history, next.list, env, none) : beginList(history, env);
}
