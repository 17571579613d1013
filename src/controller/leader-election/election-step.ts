import type { LeaseTry } from "./lease-lock.js";

/** State of a candidate in one election. */
export type ElectionState =
  /** Another candidate may hold the lease. */
  | { readonly phase: "competing" }
  /** The lease is held. `renewedAt` is when the last successful renewal was sent (monotonic ms). */
  | { readonly phase: "leading"; readonly renewedAt: number }
  /** The lease was held and is lost. */
  | { readonly phase: "lost"; readonly reason: string };

/** Input of `stepElection`. */
export type ElectionInput =
  /** An attempt to acquire or renew has completed. */
  | LeaseTry
  /** An attempt failed or got no response. */
  | { readonly type: "failed" }
  /** The renew deadline passed. */
  | { readonly type: "deadline" };

/** Settings of an election, in milliseconds. */
export interface ElectionConfig {
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** State after an input, and the pause before the next attempt. */
export interface ElectionTransition {
  readonly state: ElectionState;
  readonly pauseMs: number;
}

/** Jitter factor for the pauses of competing candidates. */
export const jitterFactor = 1.2;

/**
 * Decides the next state of an election, as a pure function. A leader renews at a steady pace; `random` spreads a
 * candidate's pauses.
 */
export function stepElection(
  state: ElectionState,
  input: ElectionInput,
  config: ElectionConfig,
  random: () => number,
): ElectionTransition {
  const { retryPeriodMs, renewDeadlineMs } = config;
  switch (state.phase) {
    case "competing":
      return input.type === "held"
        ? { state: { phase: "leading", renewedAt: input.sentAt }, pauseMs: retryPeriodMs }
        : { state, pauseMs: retryPeriodMs * (1 + jitterFactor * random()) };
    case "leading":
      switch (input.type) {
        case "held":
          return { state: { phase: "leading", renewedAt: input.sentAt }, pauseMs: retryPeriodMs };
        case "taken":
          return lost(`held by ${JSON.stringify(input.holder)}`);
        case "deadline":
          return lost(`not renewed for ${renewDeadlineMs} ms`);
        case "failed":
          return { state, pauseMs: retryPeriodMs };
      }
    // A lost lease stays lost for this term.
    case "lost":
      return { state, pauseMs: 0 };
  }
}

function lost(reason: string): ElectionTransition {
  return { state: { phase: "lost", reason }, pauseMs: 0 };
}
