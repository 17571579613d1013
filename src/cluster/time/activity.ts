import { systemClock } from "../../internal/clock.js";

/** Counts what happens in the cluster, to find out when it has nothing left to do. */
export interface Activity {
  /** Reports that something happened. */
  touch(): void;
  /** Counts an operation as running until the promise settles. Returns the promise. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Counts a computation outside the event loop, such as one of WebCrypto. The cluster isn't settled until it ends. */
  compute<T>(work: Promise<T>): Promise<T>;
  /** Calls back after a number of turns of the event loop. They count as activity. */
  afterTurns(turns: number, callback: () => void): void;
  /** Resolves at the end of the first turn of the event loop in which nothing happened, or after `maxTurns`. */
  lull(maxTurns: number): Promise<void>;
  /**
   * Resolves when everything that can happen without the passing of time has happened. An operation that waits for the
   * clock doesn't hold it up.
   */
  settled(): Promise<void>;
}

/** Turns of the event loop without activity after which nothing is in progress. */
const quietTurns = 3;
/** Real time in milliseconds to wait for an operation outside the event loop, such as one of WebCrypto. */
const patienceMs = 20;

/** Creates a counter without activity. */
export function createActivity(): Activity {
  let events = 0;
  let running = 0;
  let computing = 0;
  let nextTurn: Promise<void> | undefined;
  /** Resolves in the next turn of the event loop. All who wait for it share one timer. */
  const turn = (): Promise<void> => {
    nextTurn ??= new Promise((resolve) =>
      systemClock.setTimer(() => {
        nextTurn = undefined;
        resolve();
      }, 0),
    );
    return nextTurn;
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
    async compute(work) {
      events++;
      computing++;
      try {
        return await work;
      } finally {
        events++;
        computing--;
      }
    },
    afterTurns(turns, callback) {
      events++;
      if (turns <= 0) callback();
      else systemClock.setTimer(() => activity.afterTurns(turns - 1, callback), 0);
    },
    async lull(maxTurns) {
      for (let turns = 0; turns < maxTurns; turns++) {
        const seen = events;
        await turn();
        if (events === seen) break;
      }
      events++;
    },
    async settled() {
      let seen = -1;
      let quiet = 0;
      let quietSince = systemClock.monotonic();
      while (
        quiet < quietTurns ||
        computing > 0 ||
        (running > 0 && systemClock.monotonic() - quietSince < patienceMs)
      ) {
        await turn();
        if (events === seen) {
          quiet++;
          continue;
        }
        seen = events;
        quiet = 0;
        quietSince = systemClock.monotonic();
      }
    },
  };
  return activity;
}
