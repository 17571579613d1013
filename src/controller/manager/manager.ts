import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { Clock } from "../../internal/clock.js";
import type { LeaderElectionOptions, LeaderElector } from "../leader-election/leader-elector.js";
import type { Controller, RunOptions } from "../reconcile/controller.js";
import type { Log } from "../reconcile/controller-log.js";

/** Anything that a manager runs, such as a controller. */
export interface Runnable {
  /** Name in messages. */
  readonly name: string;
  /** True to run only while this manager leads. Without leader election it always runs. Default `true`. */
  readonly needsLeadership?: boolean | undefined;
  /**
   * True to start first, before the caches are filled, and to stop last, after everything that may depend on it, such as a
   * server of conversion webhooks. It doesn't wait for leadership. Default `false`.
   */
  readonly stopsLast?: boolean | undefined;
  /** Runs until the signal aborts. A rejection stops the manager. */
  run(options: RunOptions): Promise<void>;
  /** Readiness check under the runnable's name. Default: none. */
  readonly check?: HealthCheck | undefined;
}

/** Health check. It fails by returning a message or throwing. */
export type HealthCheck = () => string | undefined | void | Promise<string | undefined | void>;

/** Options for `createManager`. */
export interface ManagerOptions {
  /** Controllers to run. They share informers. */
  readonly controllers?: readonly Controller[] | undefined;
  /** Other things to run. */
  readonly runnables?: readonly Runnable[] | undefined;
  /** Leader election among the replicas of this program. Default: none, this manager always leads. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /**
   * `warm` (default) fills the caches before leadership is won: takeover is fast, standbys use more memory. `cold`
   * fills them afterwards.
   */
  readonly standby?: "warm" | "cold" | undefined;
  /** Informer factory. Default: a factory of the manager's own, closed when it stops. */
  readonly informers?: InformerFactory | undefined;
  /** Time limit in milliseconds for filling the caches, after which the manager fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Time in milliseconds that running work may take to end after a stop, before it is abandoned. Default 30,000. */
  readonly drainTimeoutMs?: number | undefined;
  /** Additional checks for `health`, next to the one of the leader election. */
  readonly healthChecks?: Readonly<Record<string, HealthCheck>> | undefined;
  /**
   * Time in milliseconds that a controller's source may fail before `readiness` fails: refused (401, 403, 404) or
   * backing off. Default 60,000.
   */
  readonly sourceGraceMs?: number | undefined;
  /** Additional checks for `readiness`, next to those of the manager and its controllers. */
  readonly readyChecks?: Readonly<Record<string, HealthCheck>> | undefined;
  /** Receives log entries. Default: `logToConsole`, which writes warnings and errors. */
  readonly log?: Log | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Status of a manager. */
export type ManagerStatus =
  /** Not started. */
  | { readonly type: "idle" }
  /** Filling the caches. */
  | { readonly type: "syncing" }
  /** Caches are filled; work that needs leadership waits for it. */
  | { readonly type: "standby" }
  /** Everything runs. */
  | { readonly type: "running" }
  /** Stopping: waiting for running work to end. */
  | { readonly type: "stopping" }
  /** Stopped. */
  | { readonly type: "stopped" }
  /** Failed. */
  | { readonly type: "failed"; readonly error: unknown };

/** Options for `health` and `readiness`. */
export interface HealthOptions {
  /** Names of the checks to run. Names without a check are ignored. Default: all checks. */
  readonly only?: readonly string[] | undefined;
  /** Names of checks that aren't run and count as passed. */
  readonly exclude?: readonly string[] | undefined;
  /** Time limit in milliseconds for each check, after which it fails. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** Result of health checks. */
export interface HealthReport {
  /** True if every check passed. */
  readonly ok: boolean;
  /** Result of each check. */
  readonly checks: readonly {
    /** Name of the check. */
    readonly name: string;
    /** True if the check passed. */
    readonly ok: boolean;
    /** Reason of a failure. */
    readonly message?: string | undefined;
    /** True if the check was excluded: it didn't run and counts as passed. */
    readonly excluded?: true | undefined;
  }[];
}

/** Runs controllers and other tasks with shared caches and optional leader election, and stops them in order. */
export interface Manager extends AsyncDisposable {
  /** Current status. */
  readonly status: ManagerStatus;
  /** Leader elector; `undefined` without leader election. */
  readonly elector: LeaderElector | undefined;
  /** Controllers that the manager runs. */
  readonly controllers: readonly Controller[];
  /** Factory of the controllers' informers; `undefined` before the start, unless it was given in the options. */
  readonly informers: InformerFactory | undefined;
  /**
   * Resolves when the manager has stopped. Rejects with the error that made it fail, such as a `LeadershipLostError`.
   */
  readonly done: Promise<void>;
  /** Starts the manager. Use `run` to control it with a signal. Throws a `ClosedError` if called twice. */
  start(): void;
  /** Starts the manager and stops it when the signal aborts. Settles like `done`. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * Stops the manager: first what doesn't need leadership, then what does; then it releases the lease, closes the
   * informers, and stops what stops last. Resolves when everything has stopped.
   */
  stop(): Promise<void>;
  /** Runs the health checks, for a liveness endpoint such as `/healthz`: if it fails, restart the process. */
  health(options?: HealthOptions): Promise<HealthReport>;
  /** Runs the readiness checks, for an endpoint such as `/readyz`. A warm standby is ready. */
  readiness(options?: HealthOptions): Promise<HealthReport>;
}
