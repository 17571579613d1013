import { linkAbort } from "../../internal/abort.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import { LeadershipLostError } from "../reconcile/controller-errors.js";
import { type ElectionConfig, type ElectionInput, type ElectionState, stepElection } from "./election-step.js";

/** Dependencies of `acquireLease` and `keepLease`. */
export interface ElectionParts {
  /** Name of the lease in errors. */
  readonly what: string;
  readonly config: ElectionConfig;
  readonly clock: Clock;
  readonly random: () => number;
  /** Makes one attempt to acquire or renew. Rejects only if the client is closed. */
  readonly attempt: (signal: AbortSignal) => Promise<ElectionInput>;
}

/**
 * Competes until the lease is held. Resolves with the time when the winning request was sent; `undefined` if the signal
 * aborted first. Rejects if the client is closed.
 */
export async function acquireLease(parts: ElectionParts, signal: AbortSignal): Promise<number | undefined> {
  const { config, clock, random, attempt } = parts;
  while (!signal.aborted) {
    const { state, pauseMs } = stepElection({ phase: "competing" }, await attempt(signal), config, random);
    if (state.phase === "leading") return state.renewedAt;
    await sleep(pauseMs, clock, signal).catch(() => undefined);
  }
  return undefined;
}

/**
 * Renews a lease, last renewed at `renewedAt`, until `over` aborts. Rejects with a `LeadershipLostError` when the lease
 * is lost: at the renew deadline at the latest, even if an attempt is pending.
 */
export function keepLease(
  parts: ElectionParts,
  renewedAt: number,
  over: AbortSignal,
  onRenewed: (sentAt: number) => void,
): Promise<void> {
  const { what, config, clock, random, attempt } = parts;
  return new Promise((resolve, reject) => {
    const link = linkAbort(over);
    let state: ElectionState = { phase: "leading", renewedAt };
    let deadline: Timer;
    /** Applies an input. Returns the pause before the next attempt. */
    const step = (input: ElectionInput): number => {
      const next = stepElection(state, input, config, random);
      state = next.state;
      if (state.phase === "lost") {
        deadline.cancel();
        link.abort();
        reject(new LeadershipLostError(`${what}: ${state.reason}`));
      } else if (input.type === "held") {
        onRenewed(input.sentAt);
        deadline.cancel();
        arm(input.sentAt);
      }
      return next.pauseMs;
    };
    const arm = (sentAt: number): void => {
      deadline = clock.setTimer(
        () => void step({ type: "deadline" }),
        sentAt + config.renewDeadlineMs - clock.monotonic(),
      );
    };
    const renew = async (): Promise<void> => {
      let pauseMs = config.retryPeriodMs;
      while (!link.signal.aborted) {
        await sleep(pauseMs, clock, link.signal).catch(() => undefined);
        if (link.signal.aborted) return;
        const input = await attempt(link.signal);
        if (link.signal.aborted) return;
        pauseMs = step(input);
      }
    };
    arm(renewedAt);
    const end = (): void => {
      deadline.cancel();
      link.release();
    };
    renew().then(
      () => {
        end();
        resolve();
      },
      (error: unknown) => {
        end();
        reject(new LeadershipLostError(`${what}: not renewed`, { cause: error }));
      },
    );
  });
}
