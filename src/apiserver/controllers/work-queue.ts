import { onAbort } from "../../internal/abort.js";
import type { Timer } from "../../internal/clock.js";
import { createYielder } from "../../internal/yielder.js";
import { ApiServerControllerError } from "./controller-error.js";
import type { ControllerServices } from "./services.js";

/** Works off keys one after the other; each is in line at most once. */
export interface WorkQueue {
  /** Puts a key in line. */
  add(key: string): void;
  /** Resolves when nothing is in line or under way. Keys that failed and wait for their next turn do not count. */
  idle(): Promise<void>;
}

/** Wait after the first failure of a key, in milliseconds; doubled with each further one. */
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 30_000;
/** Milliseconds of work after which the event loop gets a turn. */
const BUDGET_MS = 10;

/** Makes a queue that ends with the server. It reports a key whose work fails, and tries it again, later each time. */
export function createWorkQueue(
  services: ControllerServices,
  name: string,
  work: (key: string) => Promise<void>,
): WorkQueue {
  const line = new Set<string>();
  const failures = new Map<string, number>();
  const waiting = new Set<Timer>();
  const pauses = createYielder(services.clock, BUDGET_MS);
  let running: Promise<void> | undefined;

  onAbort(services.closed, () => {
    line.clear();
    for (const timer of waiting) timer.cancel();
    waiting.clear();
    pauses.close();
  });

  /** Answers with the wait in milliseconds. */
  const retryLater = (key: string): number => {
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1));
    const timer = services.clock.setTimer(() => {
      waiting.delete(timer);
      add(key);
    }, waitMs);
    waiting.add(timer);
    return waitMs;
  };

  const run = async (): Promise<void> => {
    // The write that put the key in line is to be finished first.
    await Promise.resolve();
    for (const key of line) {
      line.delete(key);
      try {
        await work(key);
        failures.delete(key);
      } catch (error) {
        // Whatever it was, a conflict or an admission step that refused: the same key comes back.
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
