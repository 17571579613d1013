import type { Resource } from "../../client/resource/resource.js";
import type { Clock } from "../../internal/clock.js";
import type { Lease } from "../../kinds/coordination/v1.js";
import type { Log } from "../reconcile/controller-log.js";

/** Options of `createLeaderElector`. */
export interface LeaderElectionOptions {
  /** The Leases of a namespace: `client.resource(Lease).namespace("kube-system")`. */
  readonly leases: Pick<Resource<Lease>, "get" | "create" | "update" | "description">;
  /** Name of the Lease. Those who compete for it are one group. */
  readonly name: string;
  /** Name of this one among them. Two with the same name would both lead. Default: a random one. */
  readonly identity?: string;
  /** How long the others leave a silent holder the lease, in milliseconds; whole seconds. Default 15,000. */
  readonly leaseDurationMs?: number;
  /** How long the leader goes on without having renewed the lease, in milliseconds. Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** How long to wait between two tries, in milliseconds. Default 2,000. */
  readonly retryPeriodMs?: number;
  /** Whether the lease is given back when the leader ends, so that the next need not wait for it. Default `true`. */
  readonly releaseOnCancel?: boolean;
  /** How long the leader's work may take to end after a cancel, in milliseconds, while the lease is still renewed. Default 30,000. */
  readonly drainTimeoutMs?: number;
  /** Labels to put on the Lease. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Takes what there is to say. Default: warnings and errors go to the console. */
  readonly log?: Log;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
  /** Where chance comes from, a number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** What an elector calls. */
export interface LeaderCallbacks {
  /**
   * The leader's work. Its signal fires when leadership is lost, with a `LeadershipLostError`, or when the elector is cancelled,
   * with the caller's reason; the lease is given back when its promise has settled. What it rejects with ends `run`.
   */
  readonly onStartedLeading: (leading: Leadership) => Promise<unknown> | void;
  /** Called when a term is over and its work has ended, not if there was none. */
  readonly onStoppedLeading?: () => void;
  /** Called with each new holder that is seen, this one among them. */
  readonly onNewLeader?: (identity: string) => void;
}

/** One term of a leader. */
export interface Leadership {
  /** Fires when the term is to end. */
  readonly signal: AbortSignal;
  /** Fires when leadership is lost, also while work still ends after a cancel: nothing more may be written. */
  readonly lost: AbortSignal;
  /** Number of the term: `leaseTransitions` of the Lease. A later leader has a greater one, so it can fence an earlier one's writes off. */
  readonly term: number;
}

/** What an elector is doing. */
export type LeaderStatus =
  /** It does not run. */
  | { readonly type: "idle" }
  /** Somebody else leads, or nobody; `holder` is who was seen last. */
  | { readonly type: "waiting"; readonly holder: string | undefined }
  /** It leads. */
  | { readonly type: "leading"; readonly term: number };

/** What an elector has done, as plain numbers. */
export interface LeaderMetrics {
  /** Terms begun. */
  readonly terms: number;
  /** Terms that were lost. */
  readonly lost: number;
  /** Renewals that went well. */
  readonly renewals: number;
  /** Tries that failed, conflicts among them. */
  readonly failures: number;
  /** Renewals that had to read the Lease first. */
  readonly slowPaths: number;
}

/** Sees to it that of those who compete for a Lease one leads at a time. */
export interface LeaderElector {
  /** Name of this one. */
  readonly identity: string;
  /** What it is doing. */
  readonly status: LeaderStatus;
  /** Whether it leads. */
  readonly isLeader: boolean;
  /** Identity of the holder that was seen last; `""` after a release, absent before the first look. */
  readonly leader: string | undefined;
  /** What it has done. */
  readonly metrics: LeaderMetrics;
  /**
   * Competes until it leads, leads until it is cancelled or loses. Resolves after a cancel; rejects with a `LeadershipLostError`, or
   * with what the work rejects with. It can be run again after that, not at the same time.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Nothing while all is well; else what is wrong: it leads and has not renewed for the lease's duration and `toleranceMs` more (20,000 by default). */
  check(toleranceMs?: number): string | undefined;
}
