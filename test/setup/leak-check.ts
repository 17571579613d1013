import { getEventListeners } from "node:events";
import { newHandles, openHandles } from "../support/open-handles.js";

const processEvents = ["SIGINT", "SIGTERM", "exit", "beforeExit", "warning", "unhandledRejection", "uncaughtException"];

const pauseMs = 5;

export interface LeakCheck {
  /** Records the open resources before a test. */
  begin(): void;
  /** Returns the names of resources opened since then, after waiting up to `graceMs` for them to close. */
  end(graceMs?: number): Promise<string[]>;
  /** Stops the tracking of signals and timers. */
  stop(): void;
}

/** Compares open handles, timers, process listeners, and listeners on pending signals before and after a test. */
export function createLeakCheck(): LeakCheck {
  const signals = trackSignals();
  const timers = trackTimers();
  let before = new Map<string, number>();
  let listenersBefore = new Map<string, number>();

  const leftOver = (): string[] => {
    const left = [...newHandles(before), ...timers.left()];
    for (const [name, count] of processListeners()) {
      const more = count - (listenersBefore.get(name) ?? 0);
      if (more > 0) left.push(`${String(more)} × listener of process event ${name}`);
    }
    const listening = signals.listening();
    if (listening > 0) left.push(`${String(listening)} × listener on an abort signal`);
    return left;
  };

  return {
    begin() {
      signals.reset();
      timers.reset();
      before = openHandles();
      listenersBefore = processListeners();
    },
    async end(graceMs = 10_000) {
      let left = leftOver();
      // Counts turns: on a machine that stood still, the time is over before anything could close.
      for (let waitedMs = 0; left.length > 0 && waitedMs < graceMs; waitedMs += pauseMs) {
        await new Promise((resolve) => realTimeout(resolve, pauseMs));
        left = leftOver();
      }
      return left;
    },
    stop() {
      signals.stop();
      timers.stop();
    },
  };
}

function processListeners(): Map<string, number> {
  return new Map(processEvents.map((name) => [name, process.listenerCount(name)]));
}

/** Returns the value of the process under a name. The files of a worker share one patch of the platform. */
function shared<T>(name: string, create: () => T): T {
  return ((globalThis as { [key: symbol]: unknown })[Symbol.for(`kubestream.test.${name}`)] ??= create()) as T;
}

type Recorder = (signal: AbortSignal, listener: unknown) => void;

/** Functions that learn of each listener which our code adds to a signal. */
const recorders = shared("recorders", patchSignals);

function patchSignals(): Set<Recorder> {
  const recorders = new Set<Recorder>();
  const add = AbortSignal.prototype.addEventListener;
  AbortSignal.prototype.addEventListener = function (this: AbortSignal, ...parameters: Parameters<typeof add>) {
    // Only the direct caller counts: a library that our code calls may listen to its own signals.
    const caller = new Error().stack?.split("\n")[2] ?? "";
    if (/[/\\]src[/\\]/.test(caller)) for (const record of recorders) record(this, parameters[1]);
    add.apply(this, parameters);
  } as typeof add;
  return recorders;
}

/** Tracks the listeners that our code added to signals since the last reset. */
function trackSignals(): { reset(): void; listening(): number; stop(): void } {
  let ours: { signal: AbortSignal; listener: unknown }[] = [];
  const record: Recorder = (signal, listener) => ours.push({ signal, listener });
  recorders.add(record);
  return {
    reset() {
      ours = [];
    },
    listening() {
      return ours.filter(
        ({ signal, listener }) =>
          !signal.aborted && getEventListeners(signal, "abort").includes(listener as () => void),
      ).length;
    },
    stop() {
      recorders.delete(record);
      ours = [];
    },
  };
}

interface StartedTimer {
  readonly timer: NodeJS.Timeout & { readonly _destroyed?: boolean };
  /** Carries the stack of the start. */
  readonly start: Error;
}

const timerNames = ["setTimeout", "setInterval"] as const;

/** Platform's function, which the check itself uses, and functions that learn of each timer. */
const { realTimeout, timerRecorders } = shared("timers", () => ({
  realTimeout: globalThis.setTimeout,
  timerRecorders: patchTimers(),
}));

/**
 * Records the timers that are started through the global functions. The test runner has kept the platform's own, so
 * that its timers, which the process lists, too, aren't mistaken for a test's.
 */
function patchTimers(): Set<(started: StartedTimer) => void> {
  const recorders = new Set<(started: StartedTimer) => void>();
  for (const name of timerNames) {
    const real = globalThis[name] as (...parameters: unknown[]) => NodeJS.Timeout;
    const recorded = (...parameters: unknown[]): NodeJS.Timeout => {
      const timer = real(...parameters);
      const start = new Error(`${name}, ${String(parameters[1])} ms`);
      for (const record of recorders) record({ timer, start });
      return timer;
    };
    globalThis[name] = Object.assign(recorded, real) as never;
  }
  return recorders;
}

/**
 * Tracks the timers that run. A server that the tests of a file share sets its timers again: a new one in the place of one
 * that has ended isn't left over.
 */
function trackTimers(): { reset(): void; left(): string[]; stop(): void } {
  let all: StartedTimer[] = [];
  let before = new Set<StartedTimer>();
  let room = 1_000;
  const isLive = ({ timer }: StartedTimer): boolean => timer._destroyed !== true && timer.hasRef();
  const record = (started: StartedTimer): void => {
    all.push(started);
    if (all.length < room) return;
    all = all.filter(isLive);
    room = 2 * all.length + 1_000;
  };
  timerRecorders.add(record);
  return {
    reset() {
      all = all.filter(isLive);
      before = new Set(all);
    },
    left() {
      const live = all.filter(isLive);
      const fresh = live.filter((started) => !before.has(started));
      return fresh
        .slice(0, Math.max(0, live.length - before.size))
        .map(({ start }) => `Timeout (${start.stack ?? ""})`);
    },
    stop() {
      timerRecorders.delete(record);
      all = [];
    },
  };
}
