import type { FailureKind } from "../reflector/failure.js";
import { classifyFailure } from "../reflector/failure.js";
import type { ReflectorStep } from "../reflector/reflector.js";

/** What an informer has done and met since it was made, as plain numbers. */
export interface InformerMetrics {
  /** Lists begun, by pages or by a stream. */
  readonly lists: number;
  /** Lists that became whole. */
  readonly listsDone: number;
  /** Requests for pages. */
  readonly pages: number;
  /** Duration of the last whole list in milliseconds; 0 before the first. */
  readonly lastListMs: number;
  /** Watches opened, streaming lists not among them. */
  readonly watches: number;
  /** Streaming lists opened. */
  readonly streams: number;
  /** Watches that ended within a second. */
  readonly shortWatches: number;
  /** Connections given up because nothing arrived. */
  readonly stalls: number;
  /** Events of watches, by their type. */
  readonly events: Readonly<Record<"ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", number>>;
  /** Failures, by what they meant. */
  readonly failures: Readonly<Record<FailureKind, number>>;
  /** Objects left out because the transform threw or they had no name. */
  readonly objectsDropped: number;
  /** What handlers and index functions threw. */
  readonly handlerErrors: number;
  /** When anything last arrived, in milliseconds since the epoch; absent before that. */
  readonly lastContactAt: number | undefined;
  /** When the last change of an object arrived, in milliseconds since the epoch; absent before that. */
  readonly lastEventAt: number | undefined;
  /** Objects in the store. */
  readonly size: number;
  /** Handlers. */
  readonly handlers: number;
  /** Changes that the slowest handler has not been given yet. */
  readonly lag: number;
}

/** The numbers that are counted while the informer runs. */
export type MutableMetrics = {
  -readonly [K in Exclude<
    keyof InformerMetrics,
    "events" | "failures" | "size" | "handlers" | "lag"
  >]: InformerMetrics[K];
} & {
  readonly events: Record<keyof InformerMetrics["events"], number>;
  readonly failures: Record<FailureKind, number>;
  /** Monotonic time at which the list that runs began. */
  listStartedAt: number;
};

/** All zero. */
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
  gauges: Pick<InformerMetrics, "size" | "handlers" | "lag">,
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
