import { isAlreadyExists, isConflict, isPermanent } from "../../errors/predicates.js";
import { linkAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { LeadershipLostError } from "../reconcile/controller-errors.js";
import type { Log } from "../reconcile/controller-log.js";
import type { ElectionInput } from "./election-step.js";
import type { LeaseLock } from "./lease-lock.js";

const mostReleaseTries = 3;

/** Dependencies of `createLeaseAttempts`. */
export interface LeaseAttemptsParts {
  /** Name of the lease in messages. */
  readonly what: string;
  readonly lock: LeaseLock;
  readonly clock: Clock;
  readonly log: Log;
  readonly renewDeadlineMs: number;
  /** Counters to increment. */
  readonly counts: { failures: number; slowPaths: number };
  /** Called after each request, when the holder may have changed. */
  readonly onObserved: () => void;
}

/** Requests for a lease with a time limit. Failures are logged and counted. */
export interface LeaseAttempts {
  /** Makes one attempt to acquire or renew. Rejects only with a permanent error, such as a closed client. */
  attempt(signal: AbortSignal): Promise<ElectionInput>;
  /** Releases the lease. Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

/** Creates the requests of one candidate. */
export function createLeaseAttempts(parts: LeaseAttemptsParts): LeaseAttempts {
  const { what, lock, clock, log, renewDeadlineMs, counts, onObserved } = parts;
  /** Attempts that take longer count as failed. */
  const tryTimeoutMs = Math.max(1_000, renewDeadlineMs / 2);
  return {
    async attempt(signal) {
      const link = linkAbort(signal);
      const timer = clock.setTimer(
        () => link.abort(new LeadershipLostError(`no response within ${tryTimeoutMs} ms`)),
        tryTimeoutMs,
      );
      try {
        const outcome = await lock.acquireOrRenew(link.signal).finally(() => {
          timer.cancel();
          link.release();
        });
        if (outcome.type === "held" && outcome.slow) counts.slowPaths++;
        return outcome;
      } catch (error) {
        if (signal.aborted) return { type: "failed" };
        counts.failures++;
        if (isPermanent(error)) throw error;
        const level = isConflict(error) || isAlreadyExists(error) ? "debug" : "warn";
        log({ level, message: `${what}: an attempt failed`, error });
        return { type: "failed" };
      } finally {
        onObserved();
      }
    },
    async release() {
      const link = linkAbort();
      const timer = clock.setTimer(
        () => link.abort(new LeadershipLostError(`${what}: not released within ${renewDeadlineMs} ms`)),
        renewDeadlineMs,
      );
      try {
        for (let tries = 1; ; tries++) {
          try {
            await lock.release(link.signal);
            return;
          } catch (error) {
            if (!isConflict(error) || tries === mostReleaseTries) throw error;
          }
        }
      } catch (error) {
        log({ level: "warn", message: `${what}: not released, it will expire`, error });
      } finally {
        timer.cancel();
        onObserved();
      }
    },
  };
}
