import type { ReflectorConfig } from "./reflector-config.js";
import type { ReflectorAction, ReflectorEvent } from "./reflector-event.js";
import type {
  ListingState,
  OpeningState,
  ProbingState,
  ReflectorState,
  StreamingState,
  WatchingState,
} from "./reflector-state.js";

/** Inputs of a step apart from state and event. */
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

/** No events. */
export const none: readonly never[] = [];

/** A state in which a request is running. */
export type RequestState = ListingState | StreamingState | OpeningState | WatchingState | ProbingState;
