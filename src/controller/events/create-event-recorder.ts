import { TransportError } from "../../errors/errors.js";
import { isAlreadyExists, isNotFound, isTooManyRequests } from "../../errors/predicates.js";
import { StatusError } from "../../errors/status-error.js";
import { onAbort } from "../../internal/abort.js";
import { sleep, systemClock, type Timer } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import type { Event } from "../../kinds/events/v1.js";
import { formatMicroTime } from "../../meta/time.js";
import { logToConsole } from "../reconcile/controller-log.js";
import { createEvent, seriesKey, toObjectReference } from "./create-event.js";
import type { EventRecorder, EventRecorderOptions } from "./event-recorder.js";
import { createSpamFilter } from "./spam-filter.js";

const mostTries = 12;
const retryMs = 10_000;
const retryJitter = 0.25;
/** A series that nobody adds to is over after this time. */
const finishMs = 360_000;
/** The count of a series that goes on is told so often. */
const refreshMs = 1_800_000;

/** An event with its repetitions. */
interface Remembered {
  readonly key: string;
  readonly event: Event & { metadata: { name: string; namespace: string } };
  count: number;
  /** Times in milliseconds since the epoch, and by the monotonic clock. */
  lastAt: number;
  lastSeen: number;
  /** Whether the server has the event, and the count it was told last. */
  created: boolean;
  sentCount: number;
  sentAt: number;
  /** Whether it is to be forgotten when all is sent. */
  over: boolean;
}

/** Makes a recorder with the rules of client-go's for `events.k8s.io/v1`; unlike it, with bounds and one request at a time. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const {
    events,
    controller,
    maxPending = 1_000,
    maxRemembered = 4_096,
    burstPerObject = 25,
    closeTimeoutMs = 5_000,
    clock = systemClock,
    random = Math.random,
  } = options;
  const instance = (options.instance ?? `${controller}-${crypto.randomUUID()}`).slice(-128);
  const log = quietly(options.log ?? logToConsole);
  const counts = { recorded: 0, sent: 0, counted: 0, dropped: 0, spam: 0, failed: 0 };
  const remembered = new Map<string, Remembered>();
  const pending = new Set<Remembered>();
  const spam = createSpamFilter(burstPerObject, maxRemembered, clock);
  const abort = new AbortController();
  let waiting: (() => void)[] = [];
  let sending = false;
  let timer: Timer | undefined;
  let closing: Promise<void> | undefined;
  let serial = 0;

  const put = async (entry: Remembered): Promise<void> => {
    const { event, count } = entry;
    const handle = events.namespace(event.metadata.namespace);
    const series = count > 1 ? { series: { count, lastObservedTime: formatMicroTime(entry.lastAt) } } : {};
    if (entry.created) {
      try {
        await handle.patch(event.metadata.name, { type: "merge", patch: series }, { signal: abort.signal });
      } catch (error) {
        // It has run out, or was deleted: it begins anew.
        if (!isNotFound(error)) throw error;
        await handle.create({ ...event, ...series }, { signal: abort.signal });
      }
    } else {
      try {
        await handle.create(event, { signal: abort.signal });
      } catch (error) {
        // A try whose answer was lost has made it.
        if (!isAlreadyExists(error)) throw error;
      }
      entry.created = true;
      // The series is told by its own request.
      entry.sentCount = 1;
      return;
    }
    entry.sentCount = count;
  };

  /** Sends one event, again while it is worth it. */
  const deliver = async (entry: Remembered): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        await put(entry);
        counts.sent++;
        entry.sentAt = clock.monotonic();
        return;
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!isPassing(error) || tries >= mostTries) {
          counts.failed++;
          log({
            level: "warn",
            message: `event ${entry.event.reason ?? ""} about ${entry.event.regarding?.kind ?? ""} ${entry.event.regarding?.name ?? ""} was not sent`,
            error,
          });
          // What was refused is not tried again before its series is told.
          entry.sentCount = entry.count;
          return;
        }
        const asked = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
        await sleep(Math.max(asked, retryMs) * (1 + retryJitter * random()), clock, abort.signal).catch(
          () => undefined,
        );
      }
    }
  };

  const send = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    for (let entry = first(pending); entry !== undefined && !abort.signal.aborted; entry = first(pending)) {
      await deliver(entry);
      // A repetition that came meanwhile begins the series.
      if (!isDue(entry)) {
        pending.delete(entry);
        if (entry.over) forget(entry);
      }
    }
    sending = false;
    if (abort.signal.aborted) counts.dropped += pending.size;
    if (abort.signal.aborted) pending.clear();
    for (const resolve of waiting.splice(0)) resolve();
    arm();
  };
  const isDue = (entry: Remembered): boolean =>
    (entry.sentCount === 1 && entry.count > 1) || (entry.over && entry.sentCount < entry.count);
  const enqueue = (entry: Remembered): void => {
    pending.add(entry);
    void Promise.resolve().then(send);
  };
  const forget = (entry: Remembered): void => {
    if (remembered.get(entry.key) === entry) remembered.delete(entry.key);
    if (remembered.size > 0) return;
    timer?.cancel();
    timer = undefined;
  };

  /** Ends series that nobody adds to, and tells the counts of the others now and then. */
  const review = (): void => {
    timer = undefined;
    const now = clock.monotonic();
    for (const entry of remembered.values()) {
      const isIdle = now - entry.lastSeen >= finishMs;
      if (isIdle) entry.over = true;
      if (pending.has(entry)) continue;
      if (entry.count > entry.sentCount && (isIdle || now - entry.sentAt >= refreshMs)) enqueue(entry);
      else if (isIdle) forget(entry);
    }
    arm();
  };
  const arm = (): void => {
    if (timer === undefined && remembered.size > 0 && closing === undefined) timer = clock.setTimer(review, finishMs);
  };

  const repeat = (entry: Remembered, now: number): void => {
    entry.count++;
    entry.lastAt = now;
    entry.lastSeen = clock.monotonic();
    entry.over = false;
    if (entry.count === 2) enqueue(entry);
    else counts.counted++;
  };

  const record: EventRecorder["event"] = (regarding, details) => {
    counts.recorded++;
    const now = clock.now();
    const event = createEvent(toObjectReference(regarding), details, { controller, instance }, now, serial++);
    const key = seriesKey(event);
    const known = remembered.get(key);
    if (closing !== undefined) counts.dropped++;
    else if (known !== undefined) repeat(known, now);
    else if (pending.size >= maxPending) counts.dropped++;
    else if (
      !spam.allows(
        JSON.stringify([
          event.regarding?.namespace,
          event.regarding?.kind,
          event.regarding?.name,
          event.regarding?.uid,
        ]),
      )
    )
      counts.spam++;
    else {
      if (remembered.size >= maxRemembered) {
        const [oldest] = remembered.values();
        oldest!.over = true;
        forget(oldest!);
        if (isDue(oldest!)) enqueue(oldest!);
      }
      const entry: Remembered = {
        key,
        event,
        count: 1,
        lastAt: now,
        lastSeen: clock.monotonic(),
        created: false,
        sentCount: 0,
        sentAt: clock.monotonic(),
        over: false,
      };
      remembered.set(key, entry);
      enqueue(entry);
    }
  };

  const recorder: EventRecorder = {
    get metrics() {
      return { ...counts, pending: pending.size };
    },
    event(regarding, details) {
      try {
        record(regarding, details);
      } catch (error) {
        counts.failed++;
        log({ level: "warn", message: "an event cannot be told", error });
      }
    },
    flush({ signal } = {}) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      if (pending.size === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const waiter = (): void => {
          unfollow?.();
          resolve();
        };
        const unfollow =
          signal &&
          onAbort(signal, () => {
            waiting = waiting.filter((other) => other !== waiter);
            reject(signal.reason as Error);
          });
        waiting.push(waiter);
      });
    },
    close() {
      closing ??= (async () => {
        timer?.cancel();
        for (const entry of remembered.values()) {
          entry.over = true;
          if (entry.count > entry.sentCount) enqueue(entry);
        }
        const limit = clock.setTimer(() => abort.abort(), closeTimeoutMs);
        await recorder.flush();
        limit.cancel();
        remembered.clear();
      })();
      return closing;
    },
    [Symbol.asyncDispose]: () => recorder.close(),
  };
  return recorder;
}

function first<V>(set: ReadonlySet<V>): V | undefined {
  for (const value of set) return value;
  return undefined;
}

/** Whether the same request may go well later: no answer, or a server that has too much to do or does not work. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof TransportError || isTooManyRequests(error) || (error instanceof StatusError && error.code >= 500)
  );
}
