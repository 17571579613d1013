import type { Clock, Timer } from "../../../internal/clock.js";
import type { Probe } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Result of one attempt: true, or the reason of a failure. */
export type ProbeResult = true | string;

/** Options for `createProber`. */
export interface ProberOptions {
  readonly probe: DeepReadonly<Probe>;
  readonly clock: Clock;
  /** Time until the first attempt, in milliseconds. */
  readonly delayMs: number;
  /** Checks the container. `isSteady` reports that further attempts would have the same result. */
  readonly attempt: () => ProbeResult | Promise<ProbeResult>;
  readonly isSteady: () => boolean;
  /** Called with the reason of each failed attempt. */
  readonly onFailure: (reason: string) => void;
  /** Called when as many attempts in a row as the threshold says had the same result, and the first time it changes. */
  readonly onResult: (success: boolean) => void;
}

/** A probe that repeats. */
export interface Prober {
  /** Begins again after a change that affects the attempts. */
  poke(): void;
  /** Ends the probe. */
  stop(): void;
}

/** Creates a probe of a container that has just started. */
export function createProber(options: ProberOptions): Prober {
  const { probe, clock, attempt, isSteady, onFailure, onResult, delayMs } = options;
  const periodMs = (probe.periodSeconds ?? 10) * 1_000;
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1_000;
  const thresholds = { success: probe.successThreshold ?? 1, failure: probe.failureThreshold ?? 3 };
  let timer: Timer | undefined;
  let stopped = false;
  let last: boolean | undefined;
  let reported: boolean | undefined;
  let inARow = 0;

  const record = (result: ProbeResult): void => {
    if (stopped) return;
    const success = result === true;
    if (!success) onFailure(result);
    inARow = success === last ? inARow + 1 : 1;
    last = success;
    const reached = inARow >= (success ? thresholds.success : thresholds.failure);
    if (reached && reported !== success) {
      reported = success;
      onResult(success);
      if (stopped) return;
    }
    timer = reached && success && isSteady() ? undefined : clock.setTimer(run, periodMs);
  };
  const run = (): void => {
    const result = attempt();
    if (typeof result !== "object") {
      record(result);
      return;
    }
    let answered = false;
    const answer = (value: ProbeResult): void => {
      if (answered) return;
      answered = true;
      timer?.cancel();
      record(value);
    };
    timer = clock.setTimer(() => answer(`timed out after ${probe.timeoutSeconds ?? 1}s`), timeoutMs);
    result.then(answer, (error: unknown) => answer(error instanceof Error ? error.message : String(error)));
  };
  if (delayMs > 0) timer = clock.setTimer(run, delayMs);
  else run();
  return {
    poke() {
      if (stopped || timer !== undefined) return;
      timer = clock.setTimer(run, periodMs);
    },
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
