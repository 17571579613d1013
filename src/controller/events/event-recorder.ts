import type { NamespacedResource } from "../../client/resource/resource.js";
import type { Clock } from "../../internal/clock.js";
import type { ObjectReference } from "../../kinds/core/v1.js";
import type { Event } from "../../kinds/events/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import type { Log } from "../reconcile/controller-log.js";

/** Options for `createEventRecorder`. */
export interface EventRecorderOptions {
  /** Handle for events: `client.resource(Event)` with `Event` from `kubestream/kinds/events/v1`. */
  readonly events: Pick<NamespacedResource<Event>, "namespace">;
  /** Name of the reporting controller, such as `example.com/backup-controller`. */
  readonly controller: string;
  /** Name of the reporting process, at most 128 characters. Default: the controller's name and a random suffix. */
  readonly instance?: string | undefined;
  /** Maximum number of events waiting to be sent; further ones are dropped. Default 1,000. */
  readonly maxPending?: number | undefined;
  /** Maximum number of distinct events that are remembered to detect repetitions. Default 4,096. */
  readonly maxRemembered?: number | undefined;
  /**
   * Number of new events about one object that may be sent in a burst. After that, one event every 5 minutes is let
   * through. Default 25.
   */
  readonly burstPerObject?: number | undefined;
  /**
   * True to start another series once the object's `resourceVersion` has changed, as client-go's recorder does: the new
   * event carries the current note. Default false: the event of a series keeps its first note.
   */
  readonly seriesPerVersion?: boolean | undefined;
  /** Time limit in milliseconds for `close` to send the waiting events. Default 5,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Receives log entries. Default: `logToConsole`, which writes warnings and errors. */
  readonly log?: Log | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of randomness: returns a number in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Contents of an event. */
export interface EventDetails {
  /** `Warning` for problems that need attention. Default `Normal`. */
  readonly type?: "Normal" | "Warning" | undefined;
  /** Machine-readable reason, such as `BackupFailed`. Truncated to 128 characters. */
  readonly reason: string;
  /**
   * Machine-readable action that was taken or tried, such as `Backup`. Truncated to 128 characters. Default: the
   * reason.
   */
  readonly action?: string | undefined;
  /** Human-readable description. Truncated to 1,024 bytes. */
  readonly note?: string | undefined;
  /** Second object involved in the event. */
  readonly related?: DeepReadonly<KubernetesObject> | ObjectReference | undefined;
}

/** Counters of an event recorder, as plain numbers. */
export interface EventRecorderMetrics {
  /** Calls of `event`. */
  readonly recorded: number;
  /** Successful requests. */
  readonly sent: number;
  /** Events that only increased the count of a series. */
  readonly counted: number;
  /** Events dropped because the queue was full or the recorder was closed. */
  readonly dropped: number;
  /** Events dropped because there were too many about the same object. */
  readonly spam: number;
  /** Events that are invalid, that the server rejected, or that failed after all retries. */
  readonly failed: number;
  /** Events waiting to be sent. */
  readonly pending: number;
}

/** Records events about objects, which `kubectl describe` and `kubectl events` show. */
export interface EventRecorder extends AsyncDisposable {
  /** Snapshot of the counters. */
  readonly metrics: EventRecorderMetrics;
  /**
   * Records an event about an object, which needs apiVersion, kind and name. It returns immediately and never throws:
   * failures are counted and logged. Repeated events with the same type, reason, action and object are aggregated into
   * a series, whose event keeps the first note (see `seriesPerVersion`).
   */
  event(regarding: DeepReadonly<KubernetesObject> | ObjectReference, details: EventDetails): void;
  /** Resolves when every waiting event was sent or given up. If the signal aborts, it rejects with `signal.reason`. */
  flush(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Sends the waiting events and the final counts of series within `closeTimeoutMs`. Later events are dropped. */
  close(): Promise<void>;
}
