import type { PriorityLevel } from "../../fairness/priority-levels.js";
import type { QueueSetEvents } from "../../fairness/queue-set-events.js";
import type { Clock } from "../../internal/clock.js";
import type { NumberFamily } from "../../internal/telemetry/metric-families.js";
import { formatFamily } from "../../internal/telemetry/metrics.js";
import { createFlowFamilies, type FlowFamilies } from "./flow-families.js";

/** Kind of a request in metrics. */
export type RequestKind = "readOnly" | "mutating";

/** Phase of a request in metrics. */
export type Phase = "waiting" | "executing";

/** State of flow control as a whole. */
export interface FlowTotals {
  readonly levels: readonly PriorityLevel<unknown>[];
  readonly fairFraction: number;
}

/** Metrics of API Priority and Fairness: kube-apiserver's families with their names, labels and buckets. */
export interface FlowMetrics {
  /** Creates the observer of a priority level. */
  observe(level: string): QueueSetEvents;
  /** Counts a request that was let in, and its wait. */
  let(level: string, schema: string, waitedMs: number | undefined): void;
  /** Records the wait of a rejected request. */
  turnedAway(level: string, schema: string, waitedMs: number): void;
  /** Records the duration of a request, or of the start of a watch. */
  executed(level: string, schema: string, watch: boolean, tookMs: number): void;
  /** Records the seats that a request was estimated to need, and the watches that its event goes to. */
  estimated(level: string, schema: string, seats: number, watches: number | undefined): void;
  /** Sets the limits of the kinds. */
  limitKinds(waiting: number, executing: number): void;
  /** Sets the number of requests of a kind in a phase. */
  setKind(kind: RequestKind, phase: Phase, count: number): void;
  /** Returns all families as text, with the current state of the levels. */
  lines(totals: FlowTotals): string[];
}

/** Creates metrics without series. */
export function createFlowMetrics(clock: Clock): FlowMetrics {
  const all = createFlowFamilies(clock);
  const { families, perLevel, dispatched, waits, durations, watchCounts, estimates, kindUse, fairFraction } = all;
  return {
    observe: (level) => observeLevel(all, level),
    let(level, schema, waitedMs) {
      const labels = { priority_level: level, flow_schema: schema };
      dispatched.add(labels, 1);
      if (waitedMs === undefined) return;
      waits.observe({ priority_level: level, flow_schema: schema, execute: "true" }, waitedMs / 1000);
    },
    turnedAway: (level, schema, waitedMs) =>
      waits.observe({ priority_level: level, flow_schema: schema, execute: "false" }, waitedMs / 1000),
    executed: (level, schema, watch, tookMs) =>
      durations.observe(
        { priority_level: level, flow_schema: schema, type: watch ? "watch" : "regular" },
        tookMs / 1000,
      ),
    estimated(level, schema, seats, watches) {
      const labels = { priority_level: level, flow_schema: schema };
      estimates.observe(labels, seats);
      if (watches !== undefined) watchCounts.observe(labels, watches);
    },
    limitKinds(waiting, executing) {
      for (const kind of ["readOnly", "mutating"]) {
        kindUse.set({ phase: "waiting", request_kind: kind }, { limit: Math.max(1, waiting) });
        kindUse.set({ phase: "executing", request_kind: kind }, { limit: Math.max(1, executing) });
      }
    },
    setKind: (kind, phase, count) => kindUse.set({ phase, request_kind: kind }, { value: count }),
    lines(totals) {
      for (const level of totals.levels)
        for (const [family, value] of perLevel) family.set({ priority_level: level.name }, value(level));
      fairFraction.set({}, totals.fairFraction);
      return families.flatMap((family) => formatFamily(family.collect()));
    },
  };
}

/** Creates the observer of a priority level. */
function observeLevel(all: FlowFamilies, level: string): QueueSetEvents {
  const {
    rejected,
    noAccommodation,
    epochs,
    inqueueRequests,
    inqueueSeats,
    executingRequests,
    executingSeats,
    lengths,
    seatUse,
    requestUse,
    demands,
    dispatchR,
    latestS,
    nextS,
    discountedS,
  } = all;
  const of = (schema: string): Record<string, string> => ({ priority_level: level, flow_schema: schema });
  const own = { priority_level: level };
  const phase = (name: Phase): Record<string, string> => ({ priority_level: level, phase: name });
  const bounds = (family: NumberFamily, [min, max]: readonly [number, number]): void => {
    family.set({ priority_level: level, bound: "min" }, min);
    family.set({ priority_level: level, bound: "max" }, max);
  };
  return {
    queued(schema, seats, length) {
      inqueueRequests.add(of(schema), 1);
      inqueueSeats.add(of(schema), seats);
      lengths.observe(of(schema), length);
      requestUse.add(phase("waiting"), 1);
    },
    unqueued(schema, seats) {
      inqueueRequests.add(of(schema), -1);
      inqueueSeats.add(of(schema), -seats);
      requestUse.add(phase("waiting"), -1);
    },
    executing(schema, seats) {
      executingRequests.add(of(schema), 1);
      executingSeats.add(of(schema), seats);
      requestUse.add(phase("executing"), 1);
      seatUse.add(phase("executing"), seats);
    },
    executed(schema) {
      executingRequests.add(of(schema), -1);
      requestUse.add(phase("executing"), -1);
    },
    freed(schema, seats) {
      executingSeats.add(of(schema), -seats);
      seatUse.add(phase("executing"), -seats);
    },
    rejected: (schema, reason) => rejected.add({ ...of(schema), reason }, 1),
    dispatched(times) {
      dispatchR.set(own, times.current);
      latestS.set(own, times.start);
      bounds(nextS, times.starts);
      bounds(discountedS, times.discounted);
    },
    notAccommodated: (schema) => noAccommodation.add(of(schema), 1),
    epochAdvanced: () => epochs.add({ priority_level: level, success: "true" }, 1),
    limited(waiting, denominator) {
      requestUse.set(phase("waiting"), { limit: waiting });
      requestUse.set(phase("executing"), { limit: denominator });
      seatUse.set(phase("executing"), { limit: denominator });
      demands.set(own, { limit: denominator });
    },
    demanded: (seats) => demands.set(own, { value: seats }),
  };
}
