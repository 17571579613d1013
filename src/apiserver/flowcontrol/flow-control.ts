import type { PriorityLevel } from "../../fairness/priority-levels.js";
import { PriorityLevels } from "../../fairness/priority-levels.js";
import type { QueuedRequest } from "../../fairness/request-queue.js";
import { maxSeats } from "../../fairness/request-queue.js";
import { RetryAfter } from "../../fairness/retry-after.js";
import { hashFlow } from "../../fairness/shuffle-sharding.js";
import type { Clock, Timer } from "../../internal/clock.js";
import { PlainFailure } from "../errors/status.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { FlowDetails } from "./dumps.js";
import { dumpLevels, dumpQueues, dumpRequests } from "./dumps.js";
import type { Stock } from "./estimate-work.js";
import { estimateWork } from "./estimate-work.js";
import type { FlowControlSource } from "./flow-config.js";
import { FlowConfig } from "./flow-config.js";
import { createFlowMetrics } from "./flow-metrics.js";
import type { FlowSchema } from "./flow-schema.js";
import { InFlight, kindOf } from "./in-flight.js";

/** A request that wants to execute. */
export interface FlowRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
}

/** The client of a request. Its signal is read only if the request has to wait. */
export interface FlowClient {
  readonly signal: () => AbortSignal;
}

/** A seat held by a request. */
export interface Seat {
  /** Response headers that name the FlowSchema and the priority level. */
  readonly headers: [string, string][];
  /** Frees the seat; may be called more than once. Watches call it once their stream has started. */
  release(): void;
}

/** Classifies requests and limits how many of them run at once. */
export interface FlowControl {
  /**
   * Waits for a seat. Throws a plain-text 429 if the request is rejected; rejects with the reason of the client's
   * signal if it aborts.
   */
  enter(request: FlowRequest, timeoutMs: number, client: FlowClient): Promise<Seat>;
  /** Returns a debug dump as text, or `undefined` for an unknown name. */
  dump(name: string, details: boolean): string | undefined;
  /** Returns the lines for `/metrics`. */
  metrics(): string[];
  /** Cancels all timers. */
  close(): void;
}

/** Options for `createFlowControl`. */
export interface FlowControlOptions {
  readonly clock: Clock;
  readonly source: FlowControlSource;
  readonly stock: Stock;
  /** Seats of the whole server. */
  readonly seats: number;
}

/** Longest time that a request waits in a queue. */
const longestWaitMs = 60_000;
/** Number of flows whose hashes are remembered. */
const mostHashes = 4096;

/** Returns the response to a request that is turned away. */
export function tooManyRequests(retryAfterSeconds: number, headers: readonly [string, string][] = []): PlainFailure {
  return new PlainFailure(429, "Too many requests, please try again later.\n", [
    ["Cache-Control", "no-cache, private"],
    ["Retry-After", String(retryAfterSeconds)],
    ...headers,
  ]);
}

/**
 * Creates the flow control of a server: API Priority and Fairness.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export function createFlowControl(options: FlowControlOptions): FlowControl {
  return new PriorityAndFairness(options);
}

/** Ends of a wait in a queue. */
interface WaitLimits {
  /** Resolves when the request is dispatched. */
  readonly admitted: Promise<void>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

class PriorityAndFairness implements FlowControl {
  readonly #clock: Clock;
  readonly #stock: Stock;
  readonly #metrics: ReturnType<typeof createFlowMetrics>;
  readonly #levels: PriorityLevels<FlowDetails>;
  readonly #config: FlowConfig;
  readonly #inFlight: InFlight;
  readonly #retryAfter: Map<string, RetryAfter> = new Map();
  readonly #hashes: Map<string, bigint> = new Map();
  #adjustment: Timer | undefined;
  #closed = false;

  constructor({ clock, source, stock, seats }: FlowControlOptions) {
    this.#clock = clock;
    this.#stock = stock;
    this.#metrics = createFlowMetrics(clock);
    this.#inFlight = new InFlight(clock, this.#metrics);
    this.#levels = new PriorityLevels({ clock, serverSeats: seats, observe: (level) => this.#metrics.observe(level) });
    this.#config = new FlowConfig(source, this.#levels);
  }

  async enter(request: FlowRequest, timeoutMs: number, client: FlowClient): Promise<Seat> {
    this.#refresh();
    const { user, info, query } = request;
    const { schema, level } = this.#config.classify(user, info);
    const headers: [string, string][] = [
      ["X-Kubernetes-Pf-Flowschema-Uid", schema.uid],
      ["X-Kubernetes-Pf-Prioritylevel-Uid", level.uid],
    ];
    const { work, watches } = estimateWork(info, query, this.#stock, level.limits.widest);
    this.#metrics.estimated(level.name, schema.name, maxSeats(work), watches);
    // The flow of a request matters only if there are several queues.
    const distinguisher = level.queues.queues.length > 1 ? schema.distinguisher(user, info) : "";
    const enteredAt = this.#clock.monotonic();
    let dispatched: () => void = () => undefined;
    const queued = level.queues.start({
      schema: schema.name,
      hash: level.queues.queues.length > 1 ? this.#hash(schema.name, distinguisher) : 0n,
      work,
      details: { user, info, distinguisher },
      onDispatch: () => dispatched(),
    });
    if (queued === undefined) {
      this.#metrics.turnedAway(level.name, schema.name, 0);
      throw this.#reject(level, headers);
    }
    if (queued.startedMs === undefined) {
      const admitted = new Promise<void>((resolve) => {
        dispatched = resolve;
      });
      this.#arm();
      const kind = kindOf(info);
      this.#inFlight.change(kind, "waiting", 1);
      const limitMs = Math.min(timeoutMs / 4, longestWaitMs);
      const outcome = await this.#wait(level.queues, queued, { admitted, limitMs, signal: client.signal() });
      this.#inFlight.change(kind, "waiting", -1);
      if (outcome !== "dispatched")
        this.#metrics.turnedAway(level.name, schema.name, this.#clock.monotonic() - enteredAt);
      if (outcome === "aborted") throw client.signal().reason as Error;
      if (outcome === "timed out") throw this.#reject(level, headers);
    }
    this.#metrics.let(level.name, schema.name, level.exempt ? undefined : this.#clock.monotonic() - enteredAt);
    return { headers, release: this.#seat(queued, schema, level, info) };
  }

  dump(name: string, details: boolean): string | undefined {
    this.#refresh();
    const levels = this.#levels.all();
    if (name === "dump_priority_levels") return dumpLevels(levels);
    if (name === "dump_queues") return dumpQueues(levels);
    if (name === "dump_requests") return dumpRequests(levels, details);
    return undefined;
  }

  metrics(): string[] {
    this.#refresh();
    return [
      ...this.#metrics.lines({ levels: this.#levels.all(), fairFraction: this.#levels.fairFraction }),
      ...this.#inFlight.lines(),
    ];
  }

  close(): void {
    this.#closed = true;
    this.#adjustment?.cancel();
    this.#levels.close();
  }

  /** Returns the hash of a flow. Those of recent flows are remembered. */
  #hash(schema: string, distinguisher: string): bigint {
    const key = `${schema}\0${distinguisher}`;
    let hash = this.#hashes.get(key);
    if (hash === undefined) {
      if (this.#hashes.size >= mostHashes) this.#hashes.clear();
      hash = hashFlow(schema, distinguisher);
      this.#hashes.set(key, hash);
    }
    return hash;
  }

  #refresh(): void {
    this.#levels.adjustIfDue();
    if (this.#config.refresh()) this.#metrics.limitKinds(this.#levels.queueCapacity, this.#levels.nominalSum);
  }

  /** Returns a function that frees a request's seats. */
  #seat(
    queued: QueuedRequest<FlowDetails>,
    schema: FlowSchema,
    level: PriorityLevel<FlowDetails>,
    info: RequestInfo,
  ): () => void {
    const kind = kindOf(info);
    this.#inFlight.change(kind, "executing", 1);
    let held = true;
    return (): void => {
      if (!held) return;
      held = false;
      this.#levels.adjustIfDue();
      this.#inFlight.change(kind, "executing", -1);
      const tookMs = this.#clock.monotonic() - queued.startedAt;
      this.#metrics.executed(level.name, schema.name, info.verb === "watch", tookMs);
      level.queues.finish(queued);
    };
  }

  #reject(level: PriorityLevel<FlowDetails>, headers: [string, string][]): PlainFailure {
    let retryAfter = this.#retryAfter.get(level.name);
    if (retryAfter === undefined) {
      retryAfter = new RetryAfter();
      this.#retryAfter.set(level.name, retryAfter);
    }
    retryAfter.record(this.#clock.now());
    return tooManyRequests(retryAfter.seconds, headers);
  }

  /** Waits until a queued request is dispatched, has waited too long, or its client has left. */
  #wait(
    queues: PriorityLevel<FlowDetails>["queues"],
    queued: QueuedRequest<FlowDetails>,
    { admitted, limitMs, signal }: WaitLimits,
  ): Promise<"dispatched" | "timed out" | "aborted"> {
    return new Promise((resolve) => {
      const end = (outcome: "dispatched" | "timed out" | "aborted"): void => {
        timer.cancel();
        signal.removeEventListener("abort", onAbort);
        resolve(outcome);
      };
      const leave = (reason: "time-out" | "cancelled"): void => {
        this.#levels.adjustIfDue();
        if (queues.cancel(queued, reason)) end(reason === "time-out" ? "timed out" : "aborted");
      };
      const onAbort = (): void => leave("cancelled");
      const timer = this.#clock.setTimer(() => leave("time-out"), limitMs);
      signal.addEventListener("abort", onAbort, { once: true });
      void admitted.then(() => end("dispatched"));
      if (signal.aborted) onAbort();
    });
  }

  /** Adjusts the seats in time while a request waits. */
  #arm(): void {
    if (this.#adjustment !== undefined || this.#closed) return;
    this.#adjustment = this.#clock.setTimer(
      () => {
        this.#adjustment = undefined;
        this.#levels.adjustIfDue();
        if (this.#levels.all().some(({ queues }) => queues.waiting > 0)) this.#arm();
      },
      this.#levels.dueAt - this.#clock.monotonic(),
      { upkeep: true },
    );
  }
}
