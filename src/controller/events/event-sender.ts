import { TransportError } from "../../errors/errors.js";
import { isAlreadyExists, isNotFound, isTooManyRequests } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import type { Event } from "../../kinds/events/v1.js";
import { formatMicroTime } from "../../meta/time.js";
import type { Log } from "../reconcile/controller-log.js";
import type { EventRecorderOptions } from "./event-recorder.js";
import { type EventSeries, markGivenUp, markSent } from "./event-series.js";

const mostTries = 12;
const retryMs = 10_000;
const retryJitter = 0.25;

/** An event that is remembered, with its repetitions so far. */
export interface RememberedEvent {
  readonly key: string;
  readonly event: Event & { metadata: { name: string; namespace: string } };
  series: EventSeries;
}

/** Dependencies of `createEventSender`. */
export interface EventSenderParts extends Pick<EventRecorderOptions, "events"> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Aborts sending. */
  readonly signal: AbortSignal;
  /** Counters to increment. */
  readonly counts: { sent: number; failed: number };
}

/** Returns a function that creates an event or updates its series. It retries transient errors and never rejects. */
export function createEventSender(parts: EventSenderParts): (entry: RememberedEvent) => Promise<void> {
  const { events, clock, random, log, signal, counts } = parts;

  /** Sends one request. Returns the count that it reported. */
  const put = async ({ event, series: { created, count, lastAt } }: RememberedEvent): Promise<number> => {
    const handle = events.namespace(event.metadata.namespace);
    if (!created) {
      try {
        await handle.create(event, { signal });
      } catch (error) {
        // Created by an earlier attempt whose response was lost.
        if (!isAlreadyExists(error)) throw error;
      }
      return 1;
    }
    const series = count > 1 ? { series: { count, lastObservedTime: formatMicroTime(lastAt) } } : {};
    try {
      await handle.patch(event.metadata.name, { type: "merge", patch: series }, { signal });
    } catch (error) {
      // The event expired or was deleted, so create it again.
      if (!isNotFound(error)) throw error;
      await handle.create({ ...event, ...series }, { signal });
    }
    return count;
  };

  return async (entry) => {
    for (let tries = 1; ; tries++) {
      try {
        const count = await put(entry);
        counts.sent++;
        entry.series = markSent(entry.series, count, clock.monotonic());
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransient(error) || tries >= mostTries) {
          counts.failed++;
          const { reason = "", regarding } = entry.event;
          log({
            level: "warn",
            message: `event ${reason} about ${regarding?.kind ?? ""} ${regarding?.name ?? ""} could not be sent`,
            error,
          });
          entry.series = markGivenUp(entry.series);
          return;
        }
        const requested = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
        const delayMs = Math.max(requested, retryMs) * (1 + retryJitter * random());
        await sleep(delayMs, clock, signal).catch(() => undefined);
      }
    }
  };
}

/** Returns true if the same request may succeed later: the response is missing, or the server is overloaded or broken. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof TransportError || isTooManyRequests(error) || (error instanceof StatusError && error.code >= 500)
  );
}
