import type { InformerEncoding } from "../reflector/adaptive-source.js";
import type { FailureKind } from "../reflector/failure.js";
import { classifyFailure } from "../reflector/failure.js";
import type { ReflectorStep } from "../reflector/reflector.js";

/** Counters and gauges of an informer since it was created, as plain numbers. */
export interface InformerMetrics {
  /** Lists started, paged or streamed. */
  readonly lists: number;
  /** Lists completed. */
  readonly listsDone: number;
  /** Page requests. */
  readonly pages: number;
  /** Duration of the last complete list in milliseconds; 0 before the first. */
  readonly lastListMs: number;
  /** Watches opened, excluding streaming lists. */
  readonly watches: number;
  /** Streaming lists opened. */
  readonly streams: number;
  /** Watches that ended within a second. */
  readonly shortWatches: number;
  /** Connections closed because no data arrived in time. */
  readonly stalls: number;
  /** Watch events by type. */
  readonly events: Readonly<Record<"ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", number>>;
  /** Failures by kind. */
  readonly failures: Readonly<Record<FailureKind, number>>;
  /** Objects skipped because the transform threw or the object has no name. */
  readonly objectsDropped: number;
  /** Errors thrown by handlers and index functions. */
  readonly handlerErrors: number;
  /** Time of the last data from the server, in milliseconds since the epoch; absent before the first. */
  readonly lastContactAt: number | undefined;
  /** Time of the last change to an object, in milliseconds since the epoch; absent before the first. */
  readonly lastEventAt: number | undefined;
  /** Encoding of the requests. */
  readonly encoding: InformerEncoding;
  /** Objects in the store. */
  readonly size: number;
  /** Registered handlers. */
  readonly handlers: number;
  /** Changes that the slowest handler hasn't received yet. */
  readonly lag: number;
}

/** Counters that change while the informer runs. */
export type MutableMetrics = {
  -readonly [K in Exclude<
    keyof InformerMetrics,
    "events" | "failures" | "size" | "handlers" | "lag" | "encoding"
  >]: InformerMetrics[K];
} & {
  readonly events: Record<keyof InformerMetrics["events"], number>;
  readonly failures: Record<FailureKind, number>;
  /** When the current list began (monotonic ms). */
  listStartedAt: number;
};

/** Returns counters that are all zero. */
export function createMetrics(): MutableMetrics {
  return {
    lists: 0,
    listsDone: 0,
    pages: 0,
    lastListMs: 0,
    watches: 0,
    streams: 0,
    shortWatches: 0,
    stalls: 0,
    events: { ADDED: 0, MODIFIED: 0, DELETED: 0, BOOKMARK: 0 },
    failures: {
      expired: 0,
      tooLarge: 0,
      throttled: 0,
      unauthorized: 0,
      forbidden: 0,
      notFound: 0,
      unsupported: 0,
      server: 0,
      transport: 0,
      protocol: 0,
      other: 0,
    },
    objectsDropped: 0,
    handlerErrors: 0,
    lastContactAt: undefined,
    lastEventAt: undefined,
    listStartedAt: 0,
  };
}

/** Returns a copy of the counters, with the gauges of the moment. */
export function readMetrics(
  metrics: MutableMetrics,
  gauges: Pick<InformerMetrics, "size" | "handlers" | "lag" | "encoding">,
): InformerMetrics {
  const { listStartedAt: _, ...counted } = metrics;
  return { ...counted, events: { ...metrics.events }, failures: { ...metrics.failures }, ...gauges };
}

/** Counts one step of a reflector, taken at `now` (milliseconds since the epoch). */
export function countStep<T>(metrics: MutableMetrics, step: ReflectorStep<T>, now: number): void {
  const { input, before, transition, now: monotonic } = step;
  switch (input.type) {
    case "event":
      metrics.lastContactAt = now;
      if (input.event.type !== "BOOKMARK") metrics.lastEventAt = now;
      metrics.events[input.event.type]++;
      break;
    case "initial":
      metrics.lastContactAt = metrics.lastEventAt = now;
      metrics.events.ADDED += input.objects.length;
      break;
    case "slice":
      metrics.lastContactAt = now;
      break;
    case "failed":
      metrics.failures[classifyFailure(input.error)]++;
      break;
    case "silent":
      metrics.stalls++;
      break;
    case "ended":
      if (before.phase === "watching" && monotonic - before.startedAt < 1_000) metrics.shortWatches++;
      break;
    case "start":
    case "opened":
    case "reopen":
    case "elapsed":
      break;
  }
  for (const event of transition.events) {
    if (event.type === "init") {
      metrics.lists++;
      metrics.listStartedAt = monotonic;
    } else if (event.type === "initDone") {
      metrics.listsDone++;
      metrics.lastListMs = monotonic - metrics.listStartedAt;
    }
  }
  if (transition.action?.type === "list") metrics.pages++;
  if (transition.action?.type === "watch") metrics[transition.state.phase === "streaming" ? "streams" : "watches"]++;
}
