import type { ClassifiedRequest, FlowSchemaRules, PriorityLevelRules } from "./flow-schema-match.js";

/** A flow of requests: those of one user or namespace, which a FlowSchema doesn't distinguish further. */
export interface PlannedFlow {
  /** Name of the flow in the results. */
  readonly name: string;
  /** Attributes by which its requests are classified. */
  readonly request: ClassifiedRequest;
  /** Requests per second, at random times. Set this or `clients`. */
  readonly requestsPerSecond?: number | undefined;
  /** Number of clients that send their next request when they have the response. Set this or `requestsPerSecond`. */
  readonly clients?: number | undefined;
  /** Time in milliseconds that a request executes. */
  readonly durationMs: number;
  /** Seats that a request occupies. Default: 1. */
  readonly seats?: number | undefined;
  /** Seats that a write keeps after its response, while its event goes to watches. Default: 0. */
  readonly finalSeats?: number | undefined;
  /** Time in milliseconds for which it keeps them. Default: 0. */
  readonly additionalLatencyMs?: number | undefined;
  /** Time of the first request in seconds. Default: 0. */
  readonly fromSeconds?: number | undefined;
  /** Time limit of a request in milliseconds; it waits for at most a quarter of it. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** Options for `planFlowControl`. */
export interface FlowPlanOptions {
  /** FlowSchemas of the simulated server. Each flow must match one of them, and its level must be in `levels`. */
  readonly schemas: readonly FlowSchemaRules[];
  /** PriorityLevelConfigurations, including those that no flow uses: they have seats to lend. */
  readonly levels: readonly PriorityLevelRules[];
  /** The workload. */
  readonly flows: readonly PlannedFlow[];
  /** Seats of the server: `--max-requests-inflight` plus `--max-mutating-requests-inflight`. Default: 600. */
  readonly serverSeats?: number | undefined;
  /** Simulated time in seconds. Default: 60. */
  readonly seconds?: number | undefined;
  /** Seed of the random arrivals. The same seed gives the same plan. Default: 1. */
  readonly seed?: number | undefined;
}

/** Percentiles of a time in milliseconds. */
export interface Percentiles {
  /** Median. */
  readonly p50: number;
  /** 90th percentile. */
  readonly p90: number;
  /** 99th percentile. */
  readonly p99: number;
  /** Longest. */
  readonly max: number;
}

/** Result of a flow. */
export interface FlowPlanFlow {
  /** Name of the flow. */
  readonly name: string;
  /** FlowSchema that matched it. */
  readonly flowSchema: string;
  /** Its priority level. */
  readonly priorityLevel: string;
  /** Number of requests that were sent. */
  readonly requests: number;
  /** Number of requests that were executed. */
  readonly served: number;
  /** Number of requests that waited. */
  readonly queued: number;
  /** Number of requests that were rejected at once, because a queue or the level was full. */
  readonly rejected: number;
  /** Number of requests that were rejected after a quarter of their time limit in a queue. */
  readonly timedOut: number;
  /** Time that executed requests waited for seats, in milliseconds. */
  readonly waitMs: Percentiles;
}

/** Result of a priority level. */
export interface FlowPlanLevel {
  /** Name of the level. */
  readonly name: string;
  /** Nominal limit in seats. */
  readonly nominal: number;
  /** Seats that other levels can't borrow. */
  readonly lower: number;
  /** Most seats that it had after borrowing. */
  readonly mostSeats: number;
  /** Most seats that were occupied at once. */
  readonly mostUsed: number;
  /** Most of its occupied seats that were borrowed from other levels. */
  readonly borrowed: number;
  /** Most requests that waited at once. */
  readonly mostWaiting: number;
  /** Number of queues; `undefined` for a level that rejects, or limits nothing. */
  readonly queues?: number | undefined;
  /** Number of queues that a flow may use. */
  readonly handSize?: number | undefined;
}

/** Result of a simulation. */
export interface FlowPlan {
  /** Simulated seconds. */
  readonly seconds: number;
  /** Results by flow, in the order of the options. */
  readonly flows: readonly FlowPlanFlow[];
  /** Results by priority level, in order of their names. */
  readonly levels: readonly FlowPlanLevel[];
}
