import { Session } from "node:inspector";

/** Fields of a script's coverage that the counter reads. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/**
 * Counts how often functions and blocks of `src` run, such as the body of a loop. Unlike time, the number doesn't depend
 * on the machine.
 */
export interface StepCounter {
  /** Returns the number of steps that a piece of work takes, the least of a few runs. */
  count(work: (run: number) => Promise<unknown>): Promise<number>;
  /** Stops to count. V8 optimizes code again. */
  stop(): void;
}

const runs = 3;

/** Starts to count steps in this process. */
export function startCounting(): StepCounter {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  /** Returns the steps since the call before. */
  const take = (): number => {
    let steps = 0;
    session.post("Profiler.takePreciseCoverage", (error, result) => {
      if (error !== null) throw new Error(error.message);
      for (const { url, functions } of result.result as readonly ScriptCoverage[])
        if (/\/src\/(?!.*node_modules)/.test(url))
          for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    });
    return steps;
  };
  return {
    async count(work) {
      let least = Number.POSITIVE_INFINITY;
      for (let run = 1; run <= runs; run++) {
        take();
        await work(run);
        least = Math.min(least, take());
      }
      return least;
    },
    stop: () => session.disconnect(),
  };
}
