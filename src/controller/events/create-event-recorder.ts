import { systemClock, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { type Log, logToConsole } from "../reconcile/controller-log.js";
import { createEvent, type Reporter, seriesKey, toObjectReference } from "./create-event.js";
import type { EventRecorder, EventRecorderOptions } from "./event-recorder.js";
import { createEventSender, type RememberedEvent } from "./event-sender.js";
import { beginSeries, finishMs, isDue, isIdle, type Moment, repeatSeries, reviewSeries } from "./event-series.js";
import { createOutbox, type Outbox } from "./outbox.js";
import { createSpamFilter, type SpamFilter } from "./spam-filter.js";

type EventArguments = Parameters<EventRecorder["event"]>;

/**
 * Creates an event recorder for `events.k8s.io/v1`. Repeated events become a series, as in client-go. Queue and memory
 * are bounded, and one request is sent at a time.
 *
 * @example
 * ```ts
 * import { createEventRecorder } from "kubestream/controller";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { Event } from "kubestream/kinds/events/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const recorder = createEventRecorder({ events: client.resource(Event), controller: "example.com/auditor" });
 * const pod = await client.resource(Pod).namespace("web").get("web-0");
 * recorder.event(pod, { type: "Warning", reason: "OldImage", action: "Inspect", note: "The image is a year old" });
 * await recorder.close();
 * ```
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const recorder = new Recorder(options);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= recorder.close());
  return {
    get metrics() {
      return recorder.metrics;
    },
    event: (regarding, details) => recorder.event(regarding, details),
    flush: ({ signal } = {}) => recorder.outbox.flush(signal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Recorder {
  readonly outbox: Outbox<RememberedEvent>;
  readonly #options: EventRecorderOptions;
  readonly #reporter: Reporter;
  readonly #log: Log;
  readonly #counts = { recorded: 0, sent: 0, counted: 0, dropped: 0, spam: 0, failed: 0 };
  readonly #spam: SpamFilter;
  readonly #remembered = new Map<string, RememberedEvent>();
  readonly #abort = new AbortController();
  #reviewTimer: Timer | undefined;
  #closed = false;
  #serial: number;

  constructor(options: EventRecorderOptions) {
    const { events, controller, random = Math.random, burstPerObject = 25 } = options;
    this.#options = options;
    // Recorders that report about one object in the same millisecond must not choose the same name.
    this.#serial = Math.floor(random() * 1_000_000);
    this.#reporter = {
      controller,
      instance: (options.instance ?? `${controller}-${crypto.randomUUID()}`).slice(-128),
    };
    this.#log = quietly(options.log ?? logToConsole);
    this.#spam = createSpamFilter(burstPerObject, this.#maxRemembered, this.#clock);
    const { signal } = this.#abort;
    const send = createEventSender({
      events,
      clock: this.#clock,
      random,
      log: this.#log,
      signal,
      counts: this.#counts,
    });
    this.outbox = createOutbox({
      signal,
      send: async (entry) => {
        await send(entry);
        // A repetition that came while the event was being sent starts the series.
        const again = isDue(entry.series);
        if (!again && entry.series.over) this.#forget(entry);
        return again;
      },
      onIdle: (dropped) => {
        this.#counts.dropped += dropped;
        this.#armReview();
      },
    });
  }

  get metrics(): EventRecorder["metrics"] {
    return { ...this.#counts, pending: this.outbox.size };
  }

  get #clock(): NonNullable<EventRecorderOptions["clock"]> {
    return this.#options.clock ?? systemClock;
  }

  get #maxRemembered(): number {
    return this.#options.maxRemembered ?? 4_096;
  }

  event(...given: EventArguments): void {
    try {
      this.#record(...given);
    } catch (error) {
      this.#counts.failed++;
      this.#log({ level: "warn", message: "invalid event was dropped", error });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reviewTimer?.cancel();
    for (const entry of this.#remembered.values()) {
      this.#finish(entry);
      if (entry.series.count > entry.series.sentCount) this.outbox.add(entry);
    }
    const limit = this.#clock.setTimer(() => this.#abort.abort(), this.#options.closeTimeoutMs ?? 5_000);
    await this.outbox.flush();
    limit.cancel();
    this.#remembered.clear();
  }

  #record(regarding: EventArguments[0], details: EventArguments[1]): void {
    const counts = this.#counts;
    counts.recorded++;
    const at: Moment = { now: this.#clock.now(), monotonic: this.#clock.monotonic() };
    const event = createEvent(toObjectReference(regarding), details, this.#reporter, {
      now: at.now,
      serial: this.#serial++,
    });
    const key = seriesKey(event, this.#options.seriesPerVersion ?? false);
    const known = this.#remembered.get(key);
    if (this.#closed) counts.dropped++;
    else if (known !== undefined) this.#repeat(known, at);
    else if (this.outbox.size >= (this.#options.maxPending ?? 1_000)) counts.dropped++;
    else if (!this.#spam.allows(objectKey(event.regarding))) counts.spam++;
    else {
      this.#makeRoom();
      const entry: RememberedEvent = { key, event, series: beginSeries(at) };
      this.#remembered.set(key, entry);
      this.outbox.add(entry);
    }
  }

  #repeat(entry: RememberedEvent, at: Moment): void {
    entry.series = repeatSeries(entry.series, at);
    if (entry.series.count === 2) this.outbox.add(entry);
    else this.#counts.counted++;
  }

  /** Ends the oldest series if too many are remembered. */
  #makeRoom(): void {
    if (this.#remembered.size < this.#maxRemembered) return;
    const [oldest] = this.#remembered.values();
    this.#finish(oldest!);
    this.#forget(oldest!);
    if (isDue(oldest!.series)) this.outbox.add(oldest!);
  }

  #finish(entry: RememberedEvent): void {
    entry.series = { ...entry.series, over: true };
  }

  #forget(entry: RememberedEvent): void {
    if (this.#remembered.get(entry.key) === entry) this.#remembered.delete(entry.key);
    if (this.#remembered.size > 0) return;
    this.#reviewTimer?.cancel();
    this.#reviewTimer = undefined;
  }

  /** Ends idle series and periodically sends the counts of the others. */
  #review(): void {
    this.#reviewTimer = undefined;
    const monotonic = this.#clock.monotonic();
    for (const entry of this.#remembered.values()) {
      if (isIdle(entry.series, monotonic)) this.#finish(entry);
      if (this.outbox.has(entry)) continue;
      const decision = reviewSeries(entry.series, monotonic);
      if (decision === "send") this.outbox.add(entry);
      else if (decision === "forget") this.#forget(entry);
    }
    this.#armReview();
  }

  #armReview(): void {
    if (this.#reviewTimer === undefined && this.#remembered.size > 0 && !this.#closed)
      this.#reviewTimer = this.#clock.setTimer(() => this.#review(), finishMs);
  }
}

/** Returns the key under which the spam filter counts events about an object. */
function objectKey(regarding: ReturnType<typeof createEvent>["regarding"]): string {
  return JSON.stringify([regarding?.namespace, regarding?.kind, regarding?.name, regarding?.uid]);
}
