import { onAbort } from "../../internal/abort.js";
import type { Timer } from "../../internal/clock.js";
import { createYielder, type Yielder } from "../../internal/yielder.js";
import { ApiServerControllerError } from "./controller-error.js";
import type { ControllerServices } from "./services.js";

/** Processes keys one at a time; each is queued at most once. */
export interface WorkQueue {
  /** Queues a key. */
  add(key: string): void;
  /** Resolves when nothing is queued or in progress. Failed keys that wait for their retry don't count. */
  idle(): Promise<void>;
}

/** Delay after the first failure of a key, in milliseconds; doubled with each further one. */
const firstWaitMs = 5;
const longestWaitMs = 30_000;
/** Milliseconds of work after which the queue yields to the event loop. */
const budgetMs = 10;

/**
 * Creates a queue that stops with the server. It reports failed keys and retries them with increasing delays. Work that
 * may take long on one key awaits `pause` in between.
 */
export function createWorkQueue(
  services: ControllerServices,
  name: string,
  work: (key: string, pause: Yielder["pause"]) => Promise<void>,
): WorkQueue {
  const line = new Set<string>();
  const failures = new Map<string, number>();
  const waiting = new Set<Timer>();
  const pauses = createYielder(services.clock, budgetMs);
  let running: Promise<void> | undefined;

  onAbort(services.closed, () => {
    line.clear();
    for (const timer of waiting) timer.cancel();
    waiting.clear();
    pauses.close();
  });

  /** Schedules a retry and returns the delay in milliseconds. */
  const retryLater = (key: string): number => {
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (count - 1));
    const timer = services.clock.setTimer(() => {
      waiting.delete(timer);
      add(key);
    }, waitMs);
    waiting.add(timer);
    return waitMs;
  };

  const run = async (): Promise<void> => {
    // Let the write that queued the key finish first.
    await Promise.resolve();
    for (const key of line) {
      line.delete(key);
      try {
        await work(key, pauses.pause);
        failures.delete(key);
      } catch (error) {
        // Retry after any error, such as a conflict or a rejection by admission.
        if (!services.closed.aborted) {
          const waitMs = retryLater(key);
          services.reportError(new ApiServerControllerError(name, key, waitMs, error));
        }
      }
      await pauses.pause();
      if (services.closed.aborted) return;
    }
  };

  const add = (key: string): void => {
    if (services.closed.aborted) return;
    line.add(key);
    running ??= run().finally(() => {
      running = undefined;
      pauses.close();
      if (line.size > 0 && !services.closed.aborted) add(line.values().next().value!);
    });
  };

  return {
    add,
    async idle() {
      while (running !== undefined) await running;
    },
  };
}
