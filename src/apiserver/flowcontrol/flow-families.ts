import type { PriorityLevel } from "../../fairness/priority-levels.js";
import { toSeconds } from "../../fairness/seat-seconds.js";
import type { Clock } from "../../internal/clock.js";
import { HistogramFamily, NumberFamily } from "../../internal/telemetry/metric-families.js";
import type { MetricFamily } from "../../internal/telemetry/metrics.js";
import { RatioFamily } from "./ratio-family.js";

const queueLengthBuckets = [0, 10, 25, 50, 100, 250, 500, 1000];
const secondBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const seatBuckets = [1, 2, 4, 8, 16, 32, 64, 100];
const utilizationBuckets = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const requestUtilizationBuckets = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const kindUtilizationBuckets = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const demandBuckets = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

/** A family that reports its values on a scrape. */
interface CollectedFamily {
  collect(): MetricFamily;
}

/** Families of kube-apiserver's flow control, with its names, labels and buckets. */
export interface FlowFamilies {
  /** All families. */
  readonly families: readonly CollectedFamily[];
  /** Gauges that are read from the levels. */
  readonly perLevel: readonly [NumberFamily, (level: PriorityLevel<unknown>) => number][];
  readonly rejected: NumberFamily;
  readonly dispatched: NumberFamily;
  readonly noAccommodation: NumberFamily;
  readonly epochs: NumberFamily;
  readonly inqueueRequests: NumberFamily;
  readonly inqueueSeats: NumberFamily;
  readonly executingRequests: NumberFamily;
  readonly executingSeats: NumberFamily;
  readonly waits: HistogramFamily;
  readonly durations: HistogramFamily;
  readonly lengths: HistogramFamily;
  readonly watchCounts: HistogramFamily;
  readonly estimates: HistogramFamily;
  readonly seatUse: RatioFamily;
  readonly requestUse: RatioFamily;
  readonly kindUse: RatioFamily;
  readonly demands: RatioFamily;
  readonly dispatchR: NumberFamily;
  readonly latestS: NumberFamily;
  readonly nextS: NumberFamily;
  readonly discountedS: NumberFamily;
  readonly fairFraction: NumberFamily;
}

interface FamilyFactory {
  /** All families that were created, in order. */
  readonly families: readonly CollectedFamily[];
  counter(name: string, help: string): NumberFamily;
  gauge(name: string, help: string): NumberFamily;
  histogram(name: string, help: string, buckets: readonly number[]): HistogramFamily;
  ratio(name: string, help: string, buckets: readonly number[]): RatioFamily;
}

function createFamilyFactory(clock: Clock): FamilyFactory {
  const families: CollectedFamily[] = [];
  const kept = <F extends CollectedFamily>(family: F): F => {
    families.push(family);
    return family;
  };
  const named = (name: string): string => `apiserver_flowcontrol_${name}`;
  return {
    families,
    counter: (name, help) => kept(new NumberFamily("counter", named(name), help)),
    gauge: (name, help) => kept(new NumberFamily("gauge", named(name), help)),
    histogram: (name, help, buckets) => kept(new HistogramFamily(named(name), help, buckets)),
    ratio: (name, help, buckets) => kept(new RatioFamily(() => clock.monotonic(), named(name), help, buckets)),
  };
}

/** Creates the families without series. */
export function createFlowFamilies(clock: Clock): FlowFamilies {
  const { families, counter, gauge, histogram, ratio } = createFamilyFactory(clock);
  const rejected = counter("rejected_requests_total", "Requests that were rejected");
  const dispatched = counter("dispatched_requests_total", "Requests that were let execute");
  const noAccommodation = counter(
    "request_dispatch_no_accommodation_total",
    "Attempts to dispatch a request that needed more seats than were free",
  );
  const epochs = counter("epoch_advance_total", "Times that the progress of a level was wound back");
  const inqueueRequests = gauge("current_inqueue_requests", "Requests that wait in queues");
  const inqueueSeats = gauge("current_inqueue_seats", "Seats that the requests in queues need");
  const executingRequests = gauge("current_executing_requests", "Requests that execute, and watches that start");
  const executingSeats = gauge("current_executing_seats", "Seats that are occupied");
  const waits = histogram("request_wait_duration_seconds", "Time that requests waited in their queue", secondBuckets);
  const durations = histogram(
    "request_execution_seconds",
    "Time that requests executed, or watches started",
    secondBuckets,
  );
  const lengths = histogram(
    "request_queue_length_after_enqueue",
    "Length of a queue after a request joined",
    queueLengthBuckets,
  );
  const watchCounts = histogram(
    "watch_count_samples",
    "Watches that the event of a write goes to",
    [0, 1, 10, 100, 1000, 10_000],
  );
  const estimates = histogram("work_estimated_seats", "Seats that requests were estimated to need", seatBuckets);
  const seatUse = ratio("priority_level_seat_utilization", "Occupied seats of a level, per seat", utilizationBuckets);
  const requestUse = ratio(
    "priority_level_request_utilization",
    "Requests of a level that wait or execute, as a fraction of its limit",
    requestUtilizationBuckets,
  );
  const kindUse = ratio(
    "read_vs_write_current_requests",
    "Requests of a kind that wait or execute, as a fraction of the limit",
    kindUtilizationBuckets,
  );
  const demands = ratio("demand_seats", "Seats that a level could use, per seat of its limit", demandBuckets);
  const currentR = gauge("current_r", "Progress of a level in seat-seconds");
  const dispatchR = gauge("dispatch_r", "Progress of a level at its last dispatch");
  const latestS = gauge("latest_s", "Virtual start of the request that was dispatched last");
  const nextS = gauge("next_s_bounds", "Least and greatest virtual start among the queues");
  const discountedS = gauge("next_discounted_s_bounds", "The same less the estimated work in progress");
  const perLevel: readonly [NumberFamily, (level: PriorityLevel<unknown>) => number][] = [
    [currentR, ({ queues }) => toSeconds(queues.currentR)],
    [gauge("nominal_limit_seats", "Part of a level in the seats of the server"), ({ limits }) => limits.nominal],
    [gauge("lower_limit_seats", "Seats that a level never lends"), ({ limits }) => limits.lower],
    [gauge("upper_limit_seats", "Seats of a level with those that it may borrow"), ({ limits }) => limits.upper],
    [gauge("current_limit_seats", "Seats that a level has now"), ({ current }) => current],
    [gauge("target_seats", "Seats that the last adjustment aimed for"), ({ target }) => target],
    [gauge("demand_seats_high_watermark", "Highest demand of the last period"), ({ demand }) => demand.highWatermark],
    [gauge("demand_seats_average", "Average demand of the last period"), ({ demand }) => demand.average],
    [
      gauge("demand_seats_stdev", "Standard deviation of the demand of the last period"),
      ({ demand }) => demand.deviation,
    ],
    [gauge("demand_seats_smoothed", "Demand, raised at once and lowered slowly"), ({ demand }) => demand.smoothed],
  ];
  const fairFraction = gauge("seat_fair_frac", "Fraction of its target that each level gets if it can use it");

  return {
    families,
    perLevel,
    rejected,
    dispatched,
    noAccommodation,
    epochs,
    inqueueRequests,
    inqueueSeats,
    executingRequests,
    executingSeats,
    waits,
    durations,
    lengths,
    watchCounts,
    estimates,
    seatUse,
    requestUse,
    kindUse,
    demands,
    dispatchR,
    latestS,
    nextS,
    discountedS,
    fairFraction,
  };
}
