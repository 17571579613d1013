import type { ListerWatcher, Watch } from "../../client/resource/collection.js";
import { TransportError } from "../../errors/errors.js";
import { linkAbort, onAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import type { PullIterator } from "../../internal/streams/sync-pull.js";
import { createYielder, type Yielder } from "../../internal/yielder.js";
import type { WatchOptions } from "../../meta/options.js";
import type { WatchEvent } from "../../meta/watch-event.js";
import type { ReflectorConfig } from "./reflector-config.js";
import type { ReflectorAction, ReflectorEvent, ReflectorInput } from "./reflector-event.js";
import { getDeadline, type ReflectorState } from "./reflector-state.js";
import { stepReflector } from "./reflector-step.js";
import type { ReflectorTransition } from "./reflector-transition.js";
import { startWatchdog } from "./watchdog.js";

/** Time to work before yielding to the event loop, in milliseconds. */
export const sliceBudgetMs = 0.5;
/** Objects of a streaming list that one step processes together. */
const mostInitialObjects = 16;

/** A completed step of a reflector. */
export interface ReflectorStep<T> {
  readonly input: ReflectorInput<T>;
  /** The state before the step. */
  readonly before: ReflectorState;
  readonly transition: ReflectorTransition<T>;
  /** When the step was taken (monotonic ms). */
  readonly now: number;
}

/** Receiver of a reflector's events. */
export interface ReflectorSink<T> {
  /** Handles an event. If it returns a promise, the reflector stops reading until the promise resolves. */
  handle(event: ReflectorEvent<T>): Promise<void> | undefined;
  /** Called after each step whose events were all handled. A later run resumes from the last reported step. */
  stepped(step: ReflectorStep<T>): void;
}

/** Options for `runReflector`. */
export interface RunReflectorOptions<T> {
  /** Behavior towards the server. */
  readonly config: ReflectorConfig;
  /** Receiver of the events. */
  readonly sink: ReflectorSink<T>;
  /** Initial state, or the state of an earlier run to resume. */
  readonly state: ReflectorState;
  /** Source of time. */
  readonly clock: Clock;
  /** Source of randomness. */
  readonly random: () => number;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** Returns true to replace the current watch by the same one, which the source then opens differently. */
  readonly shouldReopen?: ((state: ReflectorState) => boolean | Promise<boolean>) | undefined;
}

/**
 * Keeps a sink in sync with a collection until the signal aborts, by performing the actions that `stepReflector`
 * decides on. Resolves when no request is running.
 */
export async function runReflector<T>(source: ReflectorSource<T>, options: RunReflectorOptions<T>): Promise<void> {
  await new ReflectorRun(source, options).run();
}

/** Requests that a reflector makes. */
type ReflectorSource<T> = Pick<ListerWatcher<T>, "listChunks" | "watch">;

/** The next action, available once the sink has handled the events of a step. */
type Fed = ReflectorAction | undefined | Promise<ReflectorAction | undefined>;

class ReflectorRun<T> {
  readonly #source: ReflectorSource<T>;
  readonly #options: RunReflectorOptions<T>;
  readonly #yielder: Yielder;
  #state: ReflectorState;

  constructor(source: ReflectorSource<T>, options: RunReflectorOptions<T>) {
    this.#source = source;
    this.#options = options;
    this.#yielder = createYielder(options.clock, sliceBudgetMs);
    this.#state = options.state;
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    try {
      let action = signal.aborted ? undefined : await this.#feed({ type: "start" });
      while (action !== undefined && !signal.aborted) action = await this.#carryOut(action);
    } finally {
      this.#yielder.close();
    }
  }

  async #carryOut(action: ReflectorAction): Promise<ReflectorAction | undefined> {
    const { clock, signal } = this.#options;
    switch (action.type) {
      case "list":
        return this.#request(
          (linked) => this.#source.listChunks({ ...action.options, signal: linked }),
          ({ items, metadata }) => ({ type: "slice", items, ...(metadata !== undefined && { metadata }) }),
        );
      case "watch":
        return this.#watch(action.options);
      case "wait":
        await sleep(action.delayMs, clock, signal).catch(() => undefined);
        return signal.aborted ? undefined : this.#feed({ type: "elapsed" });
    }
  }

  /** Performs a step. Returns a promise only if the sink needs time. */
  #feed(input: ReflectorInput<T>): Fed {
    const { sink, config, clock, random } = this.#options;
    const now = clock.monotonic();
    const before = this.#state;
    const transition = stepReflector(before, input, { config, now, random });
    this.#state = transition.state;
    const { events } = transition;
    const step = { input, before, transition, now };
    for (let i = 0; i < events.length; i++) {
      const handled = sink.handle(events[i]!);
      if (handled !== undefined) return this.#feedRest(handled, i + 1, step);
    }
    sink.stepped(step);
    return transition.action;
  }

  async #feedRest(handled: Promise<void>, from: number, step: ReflectorStep<T>): Promise<ReflectorAction | undefined> {
    const { sink, signal } = this.#options;
    await handled;
    for (const event of step.transition.events.slice(from)) {
      if (signal.aborted) return undefined;
      await sink.handle(event);
    }
    if (signal.aborted) return undefined;
    sink.stepped(step);
    return step.transition.action;
  }

  /** Runs one request and feeds its results to the state machine until a step returns another action. */
  async #request<V>(
    open: (signal: AbortSignal) => PullIterator<V> & Pick<Watch<T>, "opened">,
    toInput: (value: V) => ReflectorInput<T>,
  ): Promise<ReflectorAction | undefined> {
    const { clock, signal } = this.#options;
    const link = linkAbort(signal);
    const watchdog = startWatchdog(
      clock,
      () => getDeadline(this.#state),
      () => link.abort(new TransportError("received no data in time")),
    );
    let iterator: PullIterator<V> | undefined;
    let leave: ((reason: unknown) => void) | undefined;
    const forget = onAbort(link.signal, () => leave?.(link.signal.reason));
    // Raced against the signal, because a source that ignores it must not block the end of the run.
    const arrived = async <R>(answer: Promise<R>): Promise<R> => {
      const result = await new Promise<R>((resolve, reject) => {
        leave = reject;
        answer.then(resolve, reject);
      });
      leave = undefined;
      return result;
    };
    try {
      const opened = (iterator = open(link.signal));
      if (this.#state.phase === "opening") {
        if (opened.opened !== undefined) await arrived(opened.opened);
        if (isAborted(signal)) return undefined;
        if (watchdog.fired) return await this.#feed({ type: "silent" });
        await this.#feed({ type: "opened" });
        watchdog.follow();
      }
      for (;;) {
        const result = await arrived(opened.next());
        let input: ReflectorInput<T> | undefined = result.done === true ? { type: "ended" } : toInput(result.value);
        // Values that are already buffered are processed without a promise for each.
        while (input !== undefined) {
          if (isAborted(signal)) return undefined;
          if (watchdog.fired) return await this.#feed({ type: "silent" });
          const fed = this.#feed(input);
          const action = fed instanceof Promise ? await fed : fed;
          if (action !== undefined || isAborted(signal)) return action;
          const reopen = this.#options.shouldReopen?.(this.#state);
          if (reopen === true || (reopen !== undefined && reopen !== false && (await reopen) && !isAborted(signal)))
            return await this.#feed({ type: "reopen" });
          watchdog.follow();
          const pause = this.#yielder.pause();
          if (pause !== undefined) await pause;
          const value: V | undefined = opened.take?.();
          input = value === undefined ? undefined : toInput(value);
        }
        if (isAborted(signal)) return undefined;
        if (watchdog.fired) return await this.#feed({ type: "silent" });
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      return await this.#feed(watchdog.fired ? { type: "silent" } : { type: "failed", error });
    } finally {
      watchdog.cancel();
      forget();
      link.abort();
      // Aborting releases the connection; an error from `return()` adds nothing.
      const returned = iterator?.return?.().catch(() => undefined);
      if (leave === undefined) await returned;
    }
  }

  #watch(options: WatchOptions): Promise<ReflectorAction | undefined> {
    let peeked: WatchEvent<T> | undefined;
    let events: PullIterator<WatchEvent<T>> & Pick<Watch<T>, "opened">;
    const take = (): WatchEvent<T> | undefined => {
      const event = peeked ?? events.take?.();
      peeked = undefined;
      return event;
    };
    return this.#request<WatchEvent<T>>(
      (linked) => {
        events = this.#source.watch({ ...options, signal: linked });
        return {
          opened: events.opened,
          take,
          next: () => events.next(),
          return: async () => (await events.return?.()) ?? { done: true, value: undefined },
        };
      },
      (event) => {
        if (event.type !== "ADDED" || this.#state.phase !== "streaming") return { type: "event", event };
        // Batched, because each step creates a new state.
        const objects = [event.object];
        while (objects.length < mostInitialObjects) {
          const next = take();
          if (next?.type !== "ADDED") {
            peeked = next;
            break;
          }
          objects.push(next.object);
        }
        return { type: "initial", objects };
      },
    );
  }
}

/** Reads the signal again after an await, which the compiler's narrowing doesn't expect. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
