import type { NamespacedResource } from "../../client/resource/resource.js";
import type { Clock } from "../../internal/clock.js";
import type { ObjectReference } from "../../kinds/core/v1.js";
import type { Event } from "../../kinds/events/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import type { Log } from "../reconcile/controller-log.js";

/** Options of `createEventRecorder`. */
export interface EventRecorderOptions {
  /** The Events: `client.resource(Event)` of `kubestream/kinds/events/v1`. */
  readonly events: Pick<NamespacedResource<Event>, "namespace">;
  /** Who tells, as `example.com/backup-controller`. */
  readonly controller: string;
  /** Which process of it tells, at most 128 characters. Default: the controller's name with something random. */
  readonly instance?: string;
  /** How many events may wait to be sent; those beyond it are dropped. Default 1,000. */
  readonly maxPending?: number;
  /** How many different events are remembered so that repetitions become a series. Default 4,096. */
  readonly maxRemembered?: number;
  /** New events about one object in a burst. Default 25; one more every 5 minutes. */
  readonly burstPerObject?: number;
  /** How long `close` may take to send what waits, in milliseconds. Default 5,000. */
  readonly closeTimeoutMs?: number;
  /** Takes what there is to say. Default: warnings and errors go to the console. */
  readonly log?: Log;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
  /** Where chance comes from, a number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** What happened. */
export interface EventDetails {
  /** `Warning` for what somebody should look at. Default `Normal`. */
  readonly type?: "Normal" | "Warning";
  /** Why, as a word for machines: `BackupFailed`. Cut to 128 characters. */
  readonly reason: string;
  /** What was done or tried, as a word for machines: `Backup`. Cut to 128 characters. Default: the reason. */
  readonly action?: string;
  /** What happened, for people. Cut to 1,024 bytes. */
  readonly note?: string;
  /** Another object that has to do with it. */
  readonly related?: DeepReadonly<KubernetesObject> | ObjectReference;
}

/** What a recorder has done, as plain numbers. */
export interface EventRecorderMetrics {
  /** Events told to it. */
  readonly recorded: number;
  /** Requests that went well. */
  readonly sent: number;
  /** Events that only count in a series. */
  readonly counted: number;
  /** Events dropped because too many waited, or nothing can be sent any more. */
  readonly dropped: number;
  /** Events dropped because there were too many about one object. */
  readonly spam: number;
  /** Events that cannot be sent: about nothing, or refused by the server for good. */
  readonly failed: number;
  /** Events that wait to be sent. */
  readonly pending: number;
}

/** Tells people what happens to objects, as `kubectl describe` and `kubectl events` show it. */
export interface EventRecorder extends AsyncDisposable {
  /** What it has done. */
  readonly metrics: EventRecorderMetrics;
  /**
   * Tells an event about an object, which needs apiVersion, kind and name. It returns at once and never throws: what cannot be
   * sent is counted and logged. A repetition becomes part of a series.
   */
  event(regarding: DeepReadonly<KubernetesObject> | ObjectReference, details: EventDetails): void;
  /** Resolves when all that waited was sent or given up. Rejects with the signal's reason. */
  flush(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Sends what waits, and the counts of series, within `closeTimeoutMs`; then it takes nothing more. */
  close(): Promise<void>;
}
