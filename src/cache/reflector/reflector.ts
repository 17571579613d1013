import type { ListWatch } from "../../client/resource/collection.js";
import { TransportError } from "../../errors/errors.js";
import { linkAbort, onAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import { createYielder } from "../../internal/yielder.js";
import type { WatchOptions } from "../../meta/options.js";
import type { WatchEvent } from "../../meta/watch-event.js";
import type { ReflectorConfig } from "./reflector-config.js";
import type { ReflectorAction, ReflectorEvent, ReflectorInput } from "./reflector-event.js";
import type { ReflectorState } from "./reflector-state.js";
import type { ReflectorTransition } from "./reflector-step.js";
import { stepReflector } from "./reflector-step.js";

/** Work done without a turn of the event loop, in milliseconds. */
export const sliceBudgetMs = 4;
/** Objects of a streaming list that are taken in one step. */
const mostInitialObjects = 16;

/** Who is told what a reflector finds. */
export interface ReflectorSink<T> {
  /** Takes an event; the reflector reads no further before a returned promise resolves. */
  handle(event: ReflectorEvent<T>): Promise<void> | undefined;
  /** Called after each step whose events were handled; where it was not called, a later run begins from the state before. `now` is monotonic. */
  stepped(input: ReflectorInput<T>, before: ReflectorState, transition: ReflectorTransition<T>, now: number): void;
}

/** What `runReflector` needs besides its source. */
export interface RunReflectorOptions<T> {
  /** How to behave. */
  readonly config: ReflectorConfig;
  /** Who is told. */
  readonly sink: ReflectorSink<T>;
  /** Where it stands: the initial state, or that of an earlier run to go on from. */
  readonly state: ReflectorState;
  /** Where time comes from. */
  readonly clock: Clock;
  /** Where chance comes from. */
  readonly random: () => number;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/** Keeps a sink in step with a collection until the signal fires. It does what `stepReflector` decides and resolves when no request is left. */
export async function runReflector<T>(source: ListWatch<T>, options: RunReflectorOptions<T>): Promise<void> {
  const { sink, clock, config, random, signal } = options;
  const yielder = createYielder(clock, sliceBudgetMs);
  let state = options.state;

  /** Takes an input; a promise only where the sink asks for time. */
  const feed = (input: ReflectorInput<T>): ReflectorAction | undefined | Promise<ReflectorAction | undefined> => {
    const now = clock.monotonic();
    const before = state;
    const transition = stepReflector(before, input, { config, now, random });
    state = transition.state;
    const { events } = transition;
    for (let i = 0; i < events.length; i++) {
      const handled = sink.handle(events[i]!);
      if (handled !== undefined) return feedRest(handled, i + 1, input, before, transition, now);
    }
    sink.stepped(input, before, transition, now);
    return transition.action;
  };

  const feedRest = async (
    handled: Promise<void>,
    from: number,
    input: ReflectorInput<T>,
    before: ReflectorState,
    transition: ReflectorTransition<T>,
    now: number,
  ): Promise<ReflectorAction | undefined> => {
    await handled;
    for (const event of transition.events.slice(from)) {
      if (signal.aborted) return undefined;
      await sink.handle(event);
    }
    if (signal.aborted) return undefined;
    sink.stepped(input, before, transition, now);
    return transition.action;
  };

  const request = async <V>(
    open: (signal: AbortSignal) => Source<V>,
    toInput: (value: V) => ReflectorInput<T>,
  ): Promise<ReflectorAction | undefined> => {
    const link = linkAbort(signal);
    const watchdog = startWatchdog(
      clock,
      () => state.deadlineAt,
      () => link.abort(new TransportError("nothing arrived in time")),
    );
    let iterator: AsyncIterator<V> | undefined;
    let leave: ((reason: unknown) => void) | undefined;
    const forget = onAbort(link.signal, () => leave?.(link.signal.reason));
    try {
      const opened = (iterator = open(link.signal));
      for (;;) {
        // Also a source that does not heed its signal must not hold up the end.
        const result = await new Promise<IteratorResult<V>>((resolve, reject) => {
          leave = reject;
          opened.next().then(resolve, reject);
        });
        leave = undefined;
        let input: ReflectorInput<T> | undefined = result.done === true ? { type: "ended" } : toInput(result.value);
        // What has arrived with it is taken in one go: nothing is gained by a promise for each event.
        while (input !== undefined) {
          if (isAborted(signal)) return undefined;
          if (watchdog.fired) return await feed({ type: "silent" });
          const fed = feed(input);
          const action = fed instanceof Promise ? await fed : fed;
          if (action !== undefined || isAborted(signal)) return action;
          watchdog.follow();
          const pause = yielder.pause();
          if (pause !== undefined) await pause;
          const value: V | undefined = opened.take?.();
          input = value === undefined ? undefined : toInput(value);
        }
        if (isAborted(signal)) return undefined;
        if (watchdog.fired) return await feed({ type: "silent" });
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      return await feed(watchdog.fired ? { type: "silent" } : { type: "failed", error });
    } finally {
      watchdog.cancel();
      forget();
      link.abort();
      // The connection is released by the signal; a source that fails to return has nothing left to say.
      const returned = iterator?.return?.().catch(() => undefined);
      if (leave === undefined) await returned;
    }
  };

  const watch = (options: WatchOptions): Promise<ReflectorAction | undefined> => {
    let taken: WatchEvent<T> | undefined;
    let events: Source<WatchEvent<T>>;
    const take = (): WatchEvent<T> | undefined => {
      const event = taken ?? events.take?.();
      taken = undefined;
      return event;
    };
    return request<WatchEvent<T>>(
      (linked) => {
        events = source.watch({ ...options, signal: linked });
        return {
          take,
          next: () => events.next(),
          return: async () => (await events.return?.()) ?? { done: true, value: undefined },
        };
      },
      (event) => {
        if (event.type !== "ADDED" || state.phase !== "streaming") return { type: "event", event };
        // Objects of a streaming list that arrived together are one step: each step makes a new state.
        const objects = [event.object];
        while (objects.length < mostInitialObjects) {
          const next = take();
          if (next?.type !== "ADDED") {
            taken = next;
            break;
          }
          objects.push(next.object);
        }
        return { type: "initial", objects };
      },
    );
  };

  const carryOut = async (action: ReflectorAction): Promise<ReflectorAction | undefined> => {
    switch (action.type) {
      case "list":
        return request(
          (linked) => source.listChunks({ ...action.options, signal: linked }),
          (slice) =>
            slice.metadata === undefined
              ? { type: "slice", items: slice.items }
              : { type: "slice", items: slice.items, metadata: slice.metadata },
        );
      case "watch":
        return watch(action.options);
      case "wait":
        await sleep(action.delayMs, clock, signal).catch(() => undefined);
        return signal.aborted ? undefined : feed({ type: "elapsed" });
    }
  };

  try {
    let action = signal.aborted ? undefined : await feed({ type: "start" });
    while (action !== undefined && !signal.aborted) action = await carryOut(action);
  } finally {
    yielder.close();
  }
}

/** An iterator that may be asked for what is there already. */
interface Source<V> extends AsyncIterator<V> {
  take?(): V | undefined;
}

/** Asked anew after every wait, which the compiler does not see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

interface Watchdog {
  readonly fired: boolean;
  /** Looks whether the deadline has come closer. */
  follow(): void;
  cancel(): void;
}

/** One timer for any number of events: it looks at the deadline when it fires, and waits for the rest of it. */
function startWatchdog(clock: Clock, deadlineAt: () => number, onSilence: () => void): Watchdog {
  let fired = false;
  let timer: Timer | undefined;
  let armedFor = Infinity;
  const arm = (): void => {
    armedFor = deadlineAt();
    const left = armedFor - clock.monotonic();
    if (left === Infinity) return;
    timer = clock.setTimer(
      () => {
        if (deadlineAt() > clock.monotonic()) {
          arm();
          return;
        }
        fired = true;
        onSilence();
      },
      Math.max(1, Math.ceil(left)),
    );
  };
  arm();
  return {
    get fired() {
      return fired;
    },
    follow() {
      if (deadlineAt() >= armedFor) return;
      timer?.cancel();
      arm();
    },
    cancel: () => timer?.cancel(),
  };
}
