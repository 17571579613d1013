import type { Informer } from "../../cache/informer/informer.js";
import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { InformerStatus } from "../../cache/informer/informer-status.js";
import type { Clock } from "../../internal/clock.js";
import type { LogEntry } from "./controller-log.js";
import type { RunningSource, Source, SourceContext } from "./source.js";

/** Outage of a source: its requests fail, so the cache may be stale. */
export interface SourceOutage {
  /** Last error. */
  readonly error: unknown;
  /** Failed requests since the outage began. */
  readonly failures: number;
  /** Time in milliseconds since the first failure. */
  readonly durationMs: number;
}

/** Status of a controller's source. */
export interface SourceStatus {
  /** Status of the informer; `undefined` before the start and for a source without one. */
  readonly informer: InformerStatus | undefined;
  /** Current outage; `undefined` while requests succeed. It ends with the first event, or after 30 s of a quiet watch. */
  readonly outage: SourceOutage | undefined;
}

/** A source of a controller, with its status. */
export interface ControllerSource extends Source {
  /** Current status. */
  readonly status: SourceStatus;
}

/** Dependencies of `monitorSource`. */
export interface MonitorParts {
  readonly clock: Clock;
  readonly log: (entry: Pick<LogEntry, "level" | "message" | "error">) => void;
  /** Called after each failed request. */
  readonly onFailure: () => void;
  /** Called if the source's informer ended because its client was closed. */
  readonly onClosed: (error: unknown) => void;
}

/** A watch that is open this long counts as working even if nothing arrives: the server accepted it. */
const settledMs = 30_000;
/** Pause between two log entries about the same kind of failure: doubled up to an hour while the outage lasts. */
const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;

/** Wraps a source, follows the status of its informer and logs outages. */
export function monitorSource(source: Source, parts: MonitorParts): ControllerSource {
  const monitor = new SourceMonitor(source, parts);
  const { description, kind } = source;
  return {
    description,
    ...(kind && { kind }),
    ...(source.open && {
      open: (informers: Pick<InformerFactory, "informer">) => monitor.follow(source.open!(informers)),
    }),
    start: (context) => monitor.start(context),
    get status() {
      return monitor.status;
    },
  };
}

class SourceMonitor {
  readonly #source: Source;
  readonly #parts: MonitorParts;
  /** Next log entry per kind of failure. */
  readonly #quiet = new Map<string, { readonly until: number; readonly pauseMs: number }>();
  #informer: Informer<unknown> | undefined;
  #following: { remove(): void } | undefined;
  #outage: { readonly since: number; readonly error: unknown; readonly failures: number } | undefined;
  /** Events that the informer had received when the last request failed. */
  #eventsBefore = 0;
  /** When the first watch since the last failure was opened (monotonic ms). */
  #watchingSince: number | undefined;

  constructor(source: Source, parts: MonitorParts) {
    this.#source = source;
    this.#parts = parts;
  }

  get status(): SourceStatus {
    this.#endIfHealthy();
    const outage = this.#outage;
    return {
      informer: this.#informer?.status,
      outage: outage && {
        error: outage.error,
        failures: outage.failures,
        durationMs: this.#parts.clock.monotonic() - outage.since,
      },
    };
  }

  /** Follows an informer instead of the previous one. */
  follow<T extends Informer<unknown>>(informer: T): T {
    this.#following?.remove();
    this.#informer = informer;
    this.#following = informer.onStatus((status) => this.#onStatus(status));
    return informer;
  }

  start(context: SourceContext): RunningSource {
    const running = this.#source.start(context);
    const { informer } = running;
    if (informer !== undefined) {
      this.follow(informer);
      // A shared informer may have failed before.
      if (informer.status.type === "refused" && this.#outage === undefined) this.#onStatus(informer.status);
    }
    return {
      ...(informer && { informer }),
      synced: (wait) => running.synced(wait),
      stop: async (options) => {
        this.#following?.remove();
        this.#outage = undefined;
        await running.stop(options);
      },
    };
  }

  #onStatus(status: InformerStatus): void {
    const { clock, onFailure, onClosed } = this.#parts;
    if (status.type === "backingOff" || status.type === "refused") {
      this.#endIfHealthy();
      const { error } = status;
      const before = this.#outage;
      this.#outage = { since: before?.since ?? clock.monotonic(), error, failures: (before?.failures ?? 0) + 1 };
      this.#watchingSince = undefined;
      this.#eventsBefore = this.#countEvents();
      onFailure();
      this.#report(status, before === undefined);
    } else if (status.type === "synced") this.#outage = undefined;
    else if (status.type === "closed" && status.error !== undefined) onClosed(status.error);
    // A watch that ends is opened again; only a failure shows that it doesn't work.
    if (status.type === "watching") this.#watchingSince ??= clock.monotonic();
    else if (status.type !== "connecting") this.#watchingSince = undefined;
  }

  #endIfHealthy(): void {
    const open = this.#watchingSince;
    if (this.#outage === undefined || open === undefined) return;
    const settled = this.#parts.clock.monotonic() - open >= settledMs;
    if (settled || this.#countEvents() > this.#eventsBefore) this.#outage = undefined;
  }

  #countEvents(): number {
    const { events } = this.#informer?.metrics ?? {};
    return events === undefined ? 0 : Object.values(events).reduce((sum, count) => sum + count, 0);
  }

  #report(status: InformerStatus & { readonly type: "backingOff" | "refused" }, isNew: boolean): void {
    const { clock, log } = this.#parts;
    const { error, kind, delayMs } = status;
    const now = clock.monotonic();
    const quiet = this.#quiet.get(kind);
    if (quiet !== undefined && now < quiet.until) return;
    const pauseMs = quiet === undefined || isNew ? firstPauseMs : Math.min(quiet.pauseMs * 2, longestPauseMs);
    this.#quiet.set(kind, { until: now + pauseMs, pauseMs });
    const { failures } = this.#outage!;
    log({
      level: "warn",
      message:
        `cannot watch ${this.#source.description} (${kind}), the cache may be stale; ` +
        `${failures === 1 ? "1 attempt" : `${failures} attempts`} failed, next in ${Math.ceil(delayMs / 1_000)} s`,
      error,
    });
  }
}
