import type { ListerWatcher } from "../../client/resource/collection.js";
import { ClosedError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import type { AdaptiveSource } from "../reflector/adaptive-source.js";
import type { ReflectorStep } from "../reflector/reflector.js";
import { runReflector } from "../reflector/reflector.js";
import type { ReflectorConfig } from "../reflector/reflector-config.js";
import type { ReflectorEvent } from "../reflector/reflector-event.js";
import type { ReflectorState } from "../reflector/reflector-state.js";
import { initialReflectorState } from "../reflector/reflector-state.js";
import { streamingMemory } from "../reflector/streaming-memory.js";

/** Dependencies of `createInformerRun`. */
export interface InformerRunParts<T> {
  readonly source: ListerWatcher<T>;
  /** Sends the requests to the source. */
  readonly adaptive: AdaptiveSource<T>;
  readonly config: ReflectorConfig;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called when a run begins. The returned function is called when the run has ended; a stop waits for its promise. */
  readonly onBegin: (signal: AbortSignal) => () => void | Promise<void>;
  /** Called before the first run. Returns the version of a restored store, from which the reflector resumes. */
  readonly restore?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** Handles the reflector's events. */
  readonly handle: (event: ReflectorEvent<T>, signal: AbortSignal) => Promise<void> | undefined;
  /** Called after each step. */
  readonly onStep: (step: ReflectorStep<T>) => void;
  /** Receives an error that ends a run, which only a bug can cause. */
  readonly onError: (error: unknown) => void;
}

/** The reflector of an informer. It can be stopped, and resumes where it stopped. */
export interface InformerRun {
  readonly isRunning: boolean;
  readonly state: ReflectorState;
  /** Last failure, even if the reflector has recovered since. */
  readonly lastError: unknown;
  /** Starts the reflector if it isn't running. */
  start(): void;
  /** Stops; resolves when the connection is closed. */
  stop(): Promise<void>;
}

/** Creates a stopped reflector. */
export function createInformerRun<T>(parts: InformerRunParts<T>): InformerRun {
  const { source, adaptive, config, clock, random } = parts;
  const streaming = streamingMemory(source, clock);
  let state = initialReflectorState;
  let lastError: unknown;
  let running: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  let stopping: Promise<void> = Promise.resolve();

  const stepped = (step: ReflectorStep<T>): void => {
    const { input, before, transition, now } = step;
    state = transition.state;
    const { noStreamingUntil } = state.history;
    // Recorded for other informers only after a plain list succeeded: that proves the streaming request was the
    // problem.
    if (before.phase === "listing" && transition.events.at(-1)?.type === "initDone" && noStreamingUntil > now)
      streaming.avoid(noStreamingUntil);
    if (input.type === "failed") lastError = input.error;
    else if (state.phase === "waiting" && before.phase !== "waiting") lastError = state.failure.error;
    adaptive.observe(step);
    parts.onStep(step);
  };

  let restore = parts.restore;
  /** Takes the version of a restored store. It is in doubt, because the server may be another one by now. */
  const resume = async (signal: AbortSignal): Promise<void> => {
    const resourceVersion = await restore?.(signal);
    if (signal.aborted) return;
    restore = undefined;
    if (resourceVersion === undefined) return;
    state = { phase: "idle", history: { ...state.history, resourceVersion, synced: true, doubtful: true } };
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    await adaptive.prepare(signal);
    await resume(signal);
    const { history } = state;
    const noStreamingUntil = Math.max(history.noStreamingUntil, streaming.until);
    await runReflector(adaptive, {
      config,
      clock,
      random,
      signal,
      shouldReopen: (now) => adaptive.shouldReopen(now, signal),
      state: { ...state, history: { ...history, noStreamingUntil } },
      sink: { handle: (event) => parts.handle(event, signal), stepped },
    });
  };

  return {
    get isRunning() {
      return running !== undefined;
    },
    get state() {
      return state;
    },
    get lastError() {
      return lastError;
    },
    start() {
      if (running !== undefined) return;
      const abort = new AbortController();
      const onEnd = parts.onBegin(abort.signal);
      const done = stopping
        .then(() => run(abort.signal))
        .catch(parts.onError)
        .finally(onEnd);
      running = { abort, done };
    },
    stop() {
      const stopped = running;
      running = undefined;
      if (stopped === undefined) return stopping;
      stopped.abort.abort(new ClosedError(`informer of ${source.description} was stopped`));
      stopping = stopped.done;
      return stopping;
    },
  };
}
