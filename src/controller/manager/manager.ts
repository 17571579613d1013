import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { Clock } from "../../internal/clock.js";
import type { LeaderElectionOptions, LeaderElector } from "../leader-election/leader-elector.js";
import type { Controller, RunOptions } from "../reconcile/controller.js";
import type { Log } from "../reconcile/controller-log.js";

/** Anything that a manager runs. Controllers are one. */
export interface Runnable {
  /** Name in messages. */
  readonly name: string;
  /** Whether it runs only while this manager leads, where it takes part in an election. Default `true`. */
  readonly needsLeadership?: boolean;
  /** Runs until the signal fires; what it rejects with ends the manager. */
  run(options: RunOptions): Promise<void>;
}

/** Tells what is wrong, if anything is: by a text, or by what it throws. */
export type HealthCheck = () => string | undefined | void | Promise<string | undefined | void>;

/** Options of `createManager`. */
export interface ManagerOptions {
  /** Controllers, whose informers are shared. */
  readonly controllers?: readonly Controller[];
  /** Whatever else is to run. */
  readonly runnables?: readonly Runnable[];
  /** Who of several managers runs what needs leadership. Default: this one does. */
  readonly leaderElection?: LeaderElectionOptions;
  /** Caches that are filled before leadership is won make a takeover fast, and cost memory. Default `warm`. */
  readonly standby?: "warm" | "cold";
  /** Where informers come from. Default: the manager's own, which end with it. */
  readonly informers?: InformerFactory;
  /** How long caches may take to be filled in milliseconds before it fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number;
  /** How long all may take to end in milliseconds after a stop, before it is abandoned. Default 30,000. */
  readonly drainTimeoutMs?: number;
  /** Checks of `health`, besides that of the election. */
  readonly healthChecks?: Readonly<Record<string, HealthCheck>>;
  /** Checks of `readiness`, besides those of caches and controllers. */
  readonly readyChecks?: Readonly<Record<string, HealthCheck>>;
  /** Takes what there is to say. Default: warnings and errors go to the console. */
  readonly log?: Log;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** What a manager is doing. */
export type ManagerStatus =
  /** It was not started. */
  | { readonly type: "idle" }
  /** It fills caches. */
  | { readonly type: "syncing" }
  /** Its caches are filled; what needs leadership waits for it. */
  | { readonly type: "standby" }
  /** All runs. */
  | { readonly type: "running" }
  /** It was told to stop and waits for things to end. */
  | { readonly type: "stopping" }
  /** It has stopped. */
  | { readonly type: "stopped" }
  /** It has failed. */
  | { readonly type: "failed"; readonly error: unknown };

/** What checks have found. */
export interface HealthReport {
  /** Whether all is well. */
  readonly ok: boolean;
  /** Each check. */
  readonly checks: readonly {
    /** Name of the check. */
    readonly name: string;
    /** Whether it is well. */
    readonly ok: boolean;
    /** What is wrong. */
    readonly message?: string;
  }[];
}

/** Runs controllers and other things together: over shared caches, while this one leads, and to an end in order. */
export interface Manager extends AsyncDisposable {
  /** What it is doing. */
  readonly status: ManagerStatus;
  /** The election; absent where there is none. */
  readonly elector: LeaderElector | undefined;
  /** Resolves when it has stopped; rejects with what made it fail, as a `LeadershipLostError`. */
  readonly done: Promise<void>;
  /** Starts it; `run` is the same with a signal. Throws a `ClosedError` the second time. */
  start(): void;
  /** Starts it, and stops it when the signal fires. Resolves and rejects as `done`. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Ends what needs no leadership, then what does, gives leadership back, closes the informers. Resolves when it has stopped. */
  stop(): Promise<void>;
  /** Whether the process does its work, or is to be restarted: for `/healthz`. */
  health(): Promise<HealthReport>;
  /** Whether it is ready for work, a warm standby too: for `/readyz`. */
  readiness(): Promise<HealthReport>;
}
