import { systemClock } from "../../internal/clock.js";
import { isWorkingOutside } from "../../internal/outside-work.js";

/** Counts what happens in the cluster, to find out when it has nothing left to do. */
export interface Activity {
  /** Reports that something happened. */
  touch(): void;
  /** Counts an operation as running until the promise settles. Returns the promise. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves in the next turn of the event loop, which doesn't count as activity. */
  turn(): Promise<void>;
  /** Calls back after a number of turns of the event loop. They count as activity. */
  afterTurns(turns: number, callback: () => void): void;
  /** Resolves at the end of the first turn of the event loop in which nothing happened, or after `maxTurns`. */
  lull(maxTurns: number): Promise<void>;
  /**
   * Resolves when everything that can happen without the passing of time has happened. An operation that waits for the
   * clock doesn't hold it up.
   */
  settled(): Promise<void>;
  /** Resolves shortly before `settled`, for work that comes last. */
  idle(): Promise<void>;
}

/** A caller that waits for a turn without activity. */
interface LullWait {
  /** Count of events when it began to wait for the current turn. */
  seen: number;
  /** Turns that are left. */
  turns: number;
  readonly resolve: () => void;
}

/** Turns of the event loop without activity after which nothing is in progress. */
const quietTurns = 3;
/** Turns without activity after which only work that comes last may begin. Recorders of events begin after one. */
const idleTurns = 2;
/** Real time in milliseconds to wait for an operation outside the event loop, such as one of WebCrypto. */
const patienceMs = 20;

/** Creates a counter without activity. */
export function createActivity(): Activity {
  let events = 0;
  let running = 0;
  let nextTurn: Promise<void> | undefined;
  // All who wait for the next turn share one timer.
  const turn = (): Promise<void> => {
    nextTurn ??= new Promise((resolve) =>
      systemClock.setTimer(() => {
        nextTurn = undefined;
        resolve();
      }, 0),
    );
    return nextTurn;
  };
  /** Callers of `lull`, oldest first. */
  let lulls: LullWait[] = [];
  /** Checks all callers of `lull` once per turn: each node has a recorder, and most of them wait. */
  const watchLulls = async (): Promise<void> => {
    while (lulls.length > 0) {
      await turn();
      const waiting = lulls;
      lulls = [];
      for (const wait of waiting) {
        // The first to go on is activity for the others.
        if (events === wait.seen || --wait.turns === 0) {
          events++;
          wait.resolve();
        } else {
          wait.seen = events;
          lulls.push(wait);
        }
      }
    }
  };
  /** Resolves after a number of turns in which nothing happened. */
  const calm = async (turns: number): Promise<void> => {
    let seen = -1;
    let quiet = 0;
    let quietSince = systemClock.monotonic();
    while (quiet < turns || (running > 0 && systemClock.monotonic() - quietSince < patienceMs)) {
      await turn();
      if (events === seen && !isWorkingOutside()) {
        quiet++;
        continue;
      }
      seen = events;
      quiet = 0;
      quietSince = systemClock.monotonic();
    }
  };
  const activity: Activity = {
    touch() {
      events++;
    },
    async track(work) {
      events++;
      running++;
      try {
        return await work;
      } finally {
        events++;
        running--;
      }
    },
    turn,
    afterTurns(turns, callback) {
      events++;
      if (turns <= 0) callback();
      else systemClock.setTimer(() => activity.afterTurns(turns - 1, callback), 0);
    },
    lull: (maxTurns) =>
      new Promise((resolve) => {
        lulls.push({ seen: events, turns: maxTurns, resolve });
        if (lulls.length === 1) void watchLulls();
      }),
    settled: () => calm(quietTurns),
    async idle() {
      await calm(idleTurns);
      events++;
    },
  };
  return activity;
}
