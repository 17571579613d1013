import { ClosedError } from "../../errors/errors.js";
import { isAlreadyExists, isConflict } from "../../errors/predicates.js";
import { linkAbort, whenAborted } from "../../internal/abort.js";
import { type Clock, sleep, systemClock, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { LeadershipLostError } from "../reconcile/controller-errors.js";
import { logToConsole } from "../reconcile/controller-log.js";
import type { LeaderCallbacks, LeaderElectionOptions, LeaderElector, LeaderStatus } from "./leader-elector.js";
import { createLeaseLock } from "./lease-lock.js";

/** Spread of the waits of those who compete. */
const jitterFactor = 1.2;
const mostReleaseTries = 3;

/**
 * Makes an elector with client-go's rules: followers take a lease over that they have seen unchanged for its duration, by their
 * own clocks alone; the leader stops when it has not renewed for `renewDeadlineMs`, counted from the moment it sent its
 * last good renewal. Throws a `RangeError` for durations that cannot work together.
 */
export function createLeaderElector(options: LeaderElectionOptions & LeaderCallbacks): LeaderElector {
  const {
    name,
    leases,
    leaseDurationMs = 15_000,
    renewDeadlineMs = 10_000,
    retryPeriodMs = 2_000,
    releaseOnCancel = true,
    drainTimeoutMs = 30_000,
    clock = systemClock,
    random = Math.random,
  } = options;
  checkDurations(leaseDurationMs, renewDeadlineMs, retryPeriodMs);
  const identity = options.identity ?? `${name}-${crypto.randomUUID()}`;
  if (name === "" || identity === "") throw new TypeError("an election needs a name and an identity");
  const log = quietly(options.log ?? logToConsole);
  const what = `lease ${JSON.stringify(name)} of ${leases.description}`;
  const lock = createLeaseLock(options, identity, leaseDurationMs, clock);
  /** A try that takes longer than this is as good as failed. */
  const tryTimeoutMs = Math.max(1_000, renewDeadlineMs / 2);
  const counts = { terms: 0, lost: 0, renewals: 0, failures: 0, slowPaths: 0 };
  let status: LeaderStatus = { type: "idle" };
  let reportedHolder: string | undefined;
  let renewedAt = 0;
  let running = false;

  const reportHolder = (): void => {
    const holder = lock.observed?.holderIdentity;
    if (status.type === "waiting") status = { type: "waiting", holder };
    if (holder === reportedHolder) return;
    reportedHolder = holder;
    if (holder !== undefined && holder !== "") guard(() => options.onNewLeader?.(holder));
  };
  const guard = (callback: () => void): void => {
    try {
      callback();
    } catch (error) {
      log({ level: "error", message: `${what}: a callback failed`, error });
    }
  };

  /** One try; `undefined` where it failed, which is told and no more. */
  const attempt = async (signal: AbortSignal): Promise<Awaited<ReturnType<typeof lock.acquireOrRenew>> | undefined> => {
    try {
      const outcome = await within(tryTimeoutMs, signal, clock, (each) => lock.acquireOrRenew(each));
      if (outcome.type === "held" && outcome.slow) counts.slowPaths++;
      return outcome;
    } catch (error) {
      if (signal.aborted) return undefined;
      counts.failures++;
      log({
        level: isConflict(error) || isAlreadyExists(error) ? "debug" : "warn",
        message: `${what}: a try failed`,
        error,
      });
      return undefined;
    } finally {
      reportHolder();
    }
  };

  /** Competes; answers with when the winning request was sent, or with nothing after a cancel. */
  const acquire = async (signal: AbortSignal): Promise<number | undefined> => {
    while (!signal.aborted) {
      const outcome = await attempt(signal);
      if (outcome?.type === "held") return outcome.sentAt;
      await sleep(retryPeriodMs * (1 + jitterFactor * random()), clock, signal).catch(() => undefined);
    }
    return undefined;
  };

  /** Renews until `over` fires or the lease is lost; rejects in the second case, at the deadline at the latest. */
  const keep = (over: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const link = linkAbort(over);
      let deadline: Timer;
      const lose = (why: string): void => {
        deadline.cancel();
        link.abort();
        reject(new LeadershipLostError(`${what}: ${why}`));
      };
      const arm = (): void => {
        deadline = clock.setTimer(
          () => lose(`not renewed for ${renewDeadlineMs} ms`),
          renewedAt + renewDeadlineMs - clock.monotonic(),
        );
      };
      arm();
      const renew = async (): Promise<void> => {
        while (!link.signal.aborted) {
          await sleep(retryPeriodMs, clock, link.signal).catch(() => undefined);
          if (link.signal.aborted) return;
          const outcome = await attempt(link.signal);
          if (link.signal.aborted) return;
          if (outcome?.type === "taken") lose(`${JSON.stringify(lock.observed!.holderIdentity)} holds it`);
          if (outcome?.type !== "held") continue;
          counts.renewals++;
          renewedAt = outcome.sentAt;
          deadline.cancel();
          arm();
        }
      };
      void renew().then(() => {
        deadline.cancel();
        link.release();
        resolve();
      });
    });

  const release = async (): Promise<void> => {
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
      log({ level: "warn", message: `${what}: it was not released and will run out`, error });
    } finally {
      timer.cancel();
      reportHolder();
    }
  };

  const lead = async (signal: AbortSignal): Promise<void> => {
    const term = lock.observed!.leaseTransitions;
    const leading = new AbortController();
    const lost = new AbortController();
    const over = new AbortController();
    status = { type: "leading", term };
    counts.terms++;
    log({ level: "info", message: `${what}: ${identity} leads, term ${term}` });
    let loss: { readonly error: unknown } | undefined;
    const keeping = keep(over.signal).catch((error: unknown) => {
      loss = { error };
      counts.lost++;
      lost.abort(error);
      leading.abort(error);
    });
    let failure: { readonly error: unknown } | undefined;
    const work = (async () => options.onStartedLeading({ signal: leading.signal, lost: lost.signal, term }))().then(
      () => undefined,
      (error: unknown) => {
        if (!leading.signal.aborted) failure = { error };
        else if (error !== leading.signal.reason)
          log({ level: "error", message: `${what}: the work failed as it ended`, error });
        leading.abort(error);
      },
    );
    const unfollow = whenAborted(signal, () => leading.abort(signal.reason));
    await new Promise<void>((resolve) => whenAborted(leading.signal, resolve));
    unfollow();
    const ended = await inTime(work, drainTimeoutMs, clock);
    over.abort();
    await keeping;
    status = { type: "idle" };
    if (loss === undefined && releaseOnCancel) {
      // While work may still be done the lease must run out by itself.
      if (ended) await release();
      else
        log({
          level: "warn",
          message: `${what}: the work did not end within ${drainTimeoutMs} ms, so it is not released`,
        });
    }
    log({ level: "info", message: `${what}: ${identity} leads no longer` });
    guard(() => options.onStoppedLeading?.());
    if (failure !== undefined) throw failure.error;
    if (loss !== undefined) throw loss.error;
  };

  return {
    identity,
    get status() {
      return status;
    },
    get isLeader() {
      return status.type === "leading";
    },
    get leader() {
      return lock.observed?.holderIdentity;
    },
    get metrics() {
      return { ...counts };
    },
    async run({ signal }) {
      if (running) throw new ClosedError(`${what}: the elector runs already`);
      running = true;
      status = { type: "waiting", holder: lock.observed?.holderIdentity };
      try {
        const sentAt = await acquire(signal);
        if (sentAt !== undefined && !signal.aborted) {
          renewedAt = sentAt;
          await lead(signal);
        } else if (releaseOnCancel && (sentAt !== undefined || lock.unsure)) {
          // It was won, or may have been, as it was cancelled.
          await release();
        }
      } finally {
        status = { type: "idle" };
        running = false;
      }
    },
    check(toleranceMs = 20_000) {
      const silentMs = clock.monotonic() - renewedAt;
      return status.type === "leading" && silentMs > leaseDurationMs + toleranceMs
        ? `${what}: not renewed for ${Math.round(silentMs)} ms`
        : undefined;
    },
  };
}

function checkDurations(leaseDurationMs: number, renewDeadlineMs: number, retryPeriodMs: number): void {
  if (!(retryPeriodMs > 0)) throw new RangeError("retryPeriodMs must be greater than 0");
  if (!(leaseDurationMs >= 1_000) || leaseDurationMs % 1_000 !== 0)
    throw new RangeError("leaseDurationMs must be whole seconds, as the Lease counts them");
  if (!(leaseDurationMs > renewDeadlineMs))
    throw new RangeError("leaseDurationMs must be greater than renewDeadlineMs");
  if (!(renewDeadlineMs > retryPeriodMs * jitterFactor))
    throw new RangeError(`renewDeadlineMs must be greater than ${jitterFactor} times retryPeriodMs`);
}

/** Runs a task with a signal that fires after a time. */
async function within<R>(
  ms: number,
  parent: AbortSignal,
  clock: Clock,
  task: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const link = linkAbort(parent);
  const timer = clock.setTimer(() => link.abort(new LeadershipLostError(`no answer within ${ms} ms`)), ms);
  try {
    return await task(link.signal);
  } finally {
    timer.cancel();
    link.release();
  }
}

/** Whether a promise settles in time. */
function inTime(promise: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(false), ms);
    void promise.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
}
