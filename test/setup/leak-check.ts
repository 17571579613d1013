import { getEventListeners } from "node:events";
import { newHandles, openHandles } from "../support/open-handles.js";

const processEvents = ["SIGINT", "SIGTERM", "exit", "beforeExit", "warning", "unhandledRejection", "uncaughtException"];

// Fake timers must not affect the check itself.
const realTimeout = globalThis.setTimeout;
const realNow = performance.now.bind(performance);

export interface LeakCheck {
  /** Records the open resources before a test. */
  begin(): void;
  /** Returns the names of resources opened since then, after waiting up to `graceMs` for them to close. */
  end(graceMs?: number): Promise<string[]>;
  /** Stops the tracking of signals. */
  stop(): void;
}

/** Compares open handles, process listeners, and listeners on pending signals before and after a test. */
export function createLeakCheck(): LeakCheck {
  const signals = trackSignals();
  let before = new Map<string, number>();
  let listenersBefore = new Map<string, number>();

  const leftOver = (): string[] => {
    const left = newHandles(before);
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
      before = openHandles();
      listenersBefore = processListeners();
    },
    async end(graceMs = 10_000) {
      const deadline = realNow() + graceMs;
      let left = leftOver();
      while (left.length > 0 && realNow() < deadline) {
        await new Promise((resolve) => realTimeout(resolve, 5));
        left = leftOver();
      }
      return left;
    },
    stop: signals.stop,
  };
}

function processListeners(): Map<string, number> {
  return new Map(processEvents.map((name) => [name, process.listenerCount(name)]));
}

type Recorder = (signal: AbortSignal, listener: unknown) => void;

/** Functions that learn of each listener which our code adds to a signal. The files of a worker share one patch. */
const recorders = ((globalThis as { [key: symbol]: unknown })[Symbol.for("kubestream.test.recorders")] ??=
  patchSignals()) as Set<Recorder>;

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
