import { ClosedError } from "../../errors/errors.js";
import { systemClock } from "../../internal/clock.js";
import type { Defaulted } from "../../internal/defined.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import { quietly } from "../../internal/quietly.js";
import { type Log, logToConsole } from "../reconcile/controller-log.js";
import { jitterFactor } from "./election-step.js";
import { acquireLease, type ElectionParts, keepLease } from "./keep-lease.js";
import type { LeaderCallbacks, LeaderElectionOptions, LeaderElector, LeaderStatus } from "./leader-elector.js";
import { createLeaseAttempts, type LeaseAttempts } from "./lease-attempts.js";
import { createLeaseLock, type LeaseLock } from "./lease-lock.js";
import { runTerm } from "./run-term.js";

type ElectorOptions = LeaderElectionOptions & LeaderCallbacks;

/** `ElectorOptions` with the defaults filled in. */
type ElectorConfig = Defaulted<
  ElectorOptions,
  | "identity"
  | "leaseDurationMs"
  | "renewDeadlineMs"
  | "retryPeriodMs"
  | "releaseOnCancel"
  | "drainTimeoutMs"
  | "log"
  | "clock"
  | "random"
>;

/**
 * Creates a leader elector that is compatible with client-go's. A follower takes over a lease that it has seen
 * unchanged for the lease duration, measured by its own clock. The leader stops if it hasn't renewed for
 * `renewDeadlineMs`, counted from when it sent its last successful renewal. Throws a `RangeError` for durations that
 * don't fit together.
 *
 * @example
 * ```ts
 * import { createLeaderElector } from "kubestream/controller";
 * import { Lease } from "kubestream/kinds/coordination/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const elector = createLeaderElector({
 *   leases: client.resource(Lease).namespace("default"),
 *   name: "backup-operator",
 *   async onStartedLeading({ signal, term }) {
 *     console.log("leading in term", term); // pass `term` along as a fencing token
 *     await new Promise((resolve) => signal.addEventListener("abort", resolve));
 *   },
 * });
 * await elector.run({ signal: AbortSignal.timeout(60_000) });
 * ```
 */
export function createLeaderElector(options: LeaderElectionOptions & LeaderCallbacks): LeaderElector {
  const elector = new Elector(withDefaults(options));
  return {
    name: options.name,
    identity: elector.identity,
    get status() {
      return elector.status;
    },
    get isLeader() {
      return elector.status.type === "leading";
    },
    get leader() {
      return elector.leader;
    },
    get metrics() {
      return { ...elector.counts };
    },
    run: ({ signal }) => elector.run(signal),
    check: (toleranceMs = 20_000) => elector.check(toleranceMs),
  };
}

class Elector {
  readonly counts = { terms: 0, lost: 0, renewals: 0, failures: 0, slowPaths: 0 };
  status: LeaderStatus = { type: "idle" };
  readonly #config: ElectorConfig;
  /** Name of the lease in messages. */
  readonly #what: string;
  readonly #log: Log;
  readonly #lock: LeaseLock;
  readonly #attempts: LeaseAttempts;
  readonly #election: ElectionParts;
  #reportedHolder: string | undefined;
  #renewedAt = 0;
  #running = false;

  constructor(config: ElectorConfig) {
    const { name, leases, renewDeadlineMs, retryPeriodMs, clock, random } = config;
    this.#config = config;
    this.#what = `lease ${JSON.stringify(name)} of ${leases.description}`;
    this.#log = quietly(config.log);
    this.#lock = createLeaseLock(config);
    this.#attempts = createLeaseAttempts({
      what: this.#what,
      lock: this.#lock,
      clock,
      log: this.#log,
      renewDeadlineMs,
      counts: this.counts,
      onObserved: () => this.#reportHolder(),
    });
    this.#election = {
      what: this.#what,
      config: { renewDeadlineMs, retryPeriodMs },
      clock,
      random,
      attempt: this.#attempts.attempt,
    };
  }

  get identity(): string {
    return this.#config.identity;
  }

  get leader(): string | undefined {
    return this.#lock.observed?.holderIdentity;
  }

  check(toleranceMs: number): string | undefined {
    const { clock, leaseDurationMs } = this.#config;
    const silentMs = clock.monotonic() - this.#renewedAt;
    return this.status.type === "leading" && silentMs > leaseDurationMs + toleranceMs
      ? `${this.#what}: not renewed for ${Math.round(silentMs)} ms`
      : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new ClosedError(`${this.#what}: the elector is already running`);
    this.#running = true;
    this.status = { type: "waiting", holder: this.leader };
    try {
      const sentAt = await acquireLease(this.#election, signal);
      if (sentAt !== undefined && !signal.aborted) {
        this.#renewedAt = sentAt;
        await this.#lead(signal);
      } else if (this.#config.releaseOnCancel && (sentAt !== undefined || this.#lock.unsure)) {
        // The lease was won, or may have been, when the cancellation came.
        await this.#attempts.release();
      }
    } finally {
      this.status = { type: "idle" };
      this.#running = false;
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { identity, clock, drainTimeoutMs, releaseOnCancel, onStartedLeading, onStoppedLeading } = this.#config;
    const term = this.#lock.observed!.leaseTransitions;
    this.status = { type: "leading", term };
    this.counts.terms++;
    this.#log({ level: "info", message: `${this.#what}: ${identity} leads, term ${term}` });
    const { loss, failure, drained } = await runTerm(
      {
        clock,
        drainTimeoutMs,
        keep: (over) => this.#keep(over),
        work: onStartedLeading,
        onLost: () => this.counts.lost++,
        onLateError: (error) =>
          this.#log({ level: "error", message: `${this.#what}: the work failed while it was ending`, error }),
      },
      term,
      signal,
    );
    this.status = { type: "idle" };
    if (loss === undefined && releaseOnCancel) {
      // If the work may still be running, the lease must expire on its own.
      if (drained) await this.#attempts.release();
      else
        this.#log({
          level: "warn",
          message: `${this.#what}: not released because the work did not end within ${drainTimeoutMs} ms`,
        });
    }
    this.#log({ level: "info", message: `${this.#what}: ${identity} stopped leading` });
    this.#guard(() => onStoppedLeading?.());
    if (failure !== undefined) throw failure.error;
    if (loss !== undefined) throw loss.error;
  }

  #keep(over: AbortSignal): Promise<void> {
    return keepLease(this.#election, this.#renewedAt, over, (sentAt) => {
      this.counts.renewals++;
      this.#renewedAt = sentAt;
    });
  }

  #reportHolder(): void {
    const holder = this.leader;
    if (this.status.type === "waiting") this.status = { type: "waiting", holder };
    if (holder === this.#reportedHolder) return;
    this.#reportedHolder = holder;
    if (holder !== undefined && holder !== "") this.#guard(() => this.#config.onNewLeader?.(holder));
  }

  #guard(callback: () => unknown): void {
    const report = (error: unknown): void =>
      this.#log({ level: "error", message: `${this.#what}: a callback threw`, error });
    try {
      handleRejection(callback(), report);
    } catch (error) {
      report(error);
    }
  }
}

function withDefaults(options: ElectorOptions): ElectorConfig {
  const { name, leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  checkDurations(leaseDurationMs, renewDeadlineMs, retryPeriodMs);
  const identity = options.identity ?? `${name}-${crypto.randomUUID()}`;
  if (name === "" || identity === "") throw new TypeError("leader election: name and identity must not be empty");
  return {
    ...options,
    identity,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    releaseOnCancel: options.releaseOnCancel ?? true,
    drainTimeoutMs: options.drainTimeoutMs ?? 30_000,
    log: options.log ?? logToConsole,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function checkDurations(leaseDurationMs: number, renewDeadlineMs: number, retryPeriodMs: number): void {
  if (!(retryPeriodMs > 0)) throw new RangeError("retryPeriodMs must be greater than 0");
  if (!(leaseDurationMs >= 1_000) || leaseDurationMs % 1_000 !== 0)
    throw new RangeError("leaseDurationMs must be a positive multiple of 1000: a Lease stores whole seconds");
  if (!(leaseDurationMs > renewDeadlineMs))
    throw new RangeError("leaseDurationMs must be greater than renewDeadlineMs");
  if (!(renewDeadlineMs > retryPeriodMs * jitterFactor))
    throw new RangeError(`renewDeadlineMs must be greater than ${jitterFactor} times retryPeriodMs`);
}
