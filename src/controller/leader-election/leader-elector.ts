import type { Resource } from "../../client/resource/resource.js";
import type { Clock } from "../../internal/clock.js";
import type { Lease } from "../../kinds/coordination/v1.js";
import type { Log } from "../reconcile/controller-log.js";

/** Options for leader election. Durations are in milliseconds. */
export interface LeaderElectionOptions {
  /** Handle for Leases in one namespace: `client.resource(Lease).namespace("kube-system")`. */
  readonly leases: Pick<Resource<Lease>, "get" | "create" | "update" | "description">;
  /** Name of the Lease. All candidates that use it form one group. */
  readonly name: string;
  /**
   * Identity of this candidate. It must be unique: two candidates with the same identity would both lead. Default: the
   * name and a random suffix.
   */
  readonly identity?: string | undefined;
  /** Time after its last renewal before another candidate may take the lease; a multiple of 1,000. Default 15,000. */
  readonly leaseDurationMs?: number | undefined;
  /** Time after its last successful renewal at which the leader stops leading. Default 10,000. */
  readonly renewDeadlineMs?: number | undefined;
  /** Pause between two attempts to acquire or renew. Default 2,000. */
  readonly retryPeriodMs?: number | undefined;
  /**
   * True to release the lease when the leader ends, so that the next one doesn't wait for it to expire. Default `true`.
   */
  readonly releaseOnCancel?: boolean | undefined;
  /**
   * Time that the leader's work may take to end after a cancellation; the lease is renewed during that time. Default
   * 30,000.
   */
  readonly drainTimeoutMs?: number | undefined;
  /** Labels for the Lease. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Receives log entries. Default: `logToConsole`, which writes warnings and errors. */
  readonly log?: Log | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of randomness: returns a number in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Callbacks of a leader elector. */
export interface LeaderCallbacks {
  /**
   * Does the leader's work. Its signal aborts with a `LeadershipLostError` when leadership is lost, or with the
   * caller's reason on cancellation. The lease is released once the returned promise has settled. A rejection ends
   * `run`.
   */
  readonly onStartedLeading: (leading: Leadership) => Promise<unknown> | void;
  /** Called when a term is over and its work has ended. Not called without a term. */
  readonly onStoppedLeading?: (() => void) | undefined;
  /** Called with the identity of each new holder, including this candidate. */
  readonly onNewLeader?: ((identity: string) => void) | undefined;
}

/** One term of a leader. */
export interface Leadership {
  /** Aborts when the term ends, by loss or cancellation. */
  readonly signal: AbortSignal;
  /**
   * Aborts when leadership is lost, even while the work ends after a cancellation. No more writes are allowed from then
   * on.
   */
  readonly lost: AbortSignal;
  /**
   * Number of the term: `leaseTransitions` of the Lease. It only ever increases, so use it as a fencing token to reject
   * writes of a former leader.
   */
  readonly term: number;
}

/** Status of a leader elector. */
export type LeaderStatus =
  /** Not running. */
  | { readonly type: "idle" }
  /** Waiting for the lease. `holder` is the last known holder. */
  | { readonly type: "waiting"; readonly holder: string | undefined }
  /** Leading. */
  | { readonly type: "leading"; readonly term: number };

/** Counters of a leader elector, as plain numbers. */
export interface LeaderMetrics {
  /** Terms started. */
  readonly terms: number;
  /** Terms lost. */
  readonly lost: number;
  /** Successful renewals. */
  readonly renewals: number;
  /** Failed attempts, including conflicts. */
  readonly failures: number;
  /** Renewals that had to read the Lease first. */
  readonly slowPaths: number;
}

/** A candidate in a leader election. At most one candidate for a Lease leads at a time. */
export interface LeaderElector {
  /** Name of the Lease. */
  readonly name: string;
  /** Identity of this candidate. */
  readonly identity: string;
  /** Current status. */
  readonly status: LeaderStatus;
  /** True while this candidate leads. */
  readonly isLeader: boolean;
  /** Identity of the last known holder: `""` after a release, `undefined` before the Lease was first read. */
  readonly leader: string | undefined;
  /** Snapshot of the counters. */
  readonly metrics: LeaderMetrics;
  /**
   * Competes for the lease and leads until it is cancelled or loses. Resolves after a cancellation; rejects with a
   * `LeadershipLostError`, or with the error of the leader's work. After it settles, it can be called again.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * Health check: returns a message if this candidate leads but hasn't renewed for the lease duration plus
   * `toleranceMs` (default 20,000), and `undefined` otherwise.
   */
  check(toleranceMs?: number): string | undefined;
}
