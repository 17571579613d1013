import { ConfigError } from "../errors/errors.js";
import { type PriorityLevel, PriorityLevels } from "../fairness/priority-levels.js";
import { hashFlow } from "../fairness/shuffle-sharding.js";
import { createVirtualClock, type VirtualClock } from "../fairness/virtual-clock.js";
import type { FlowPlan, FlowPlanFlow, FlowPlanOptions, PlannedFlow } from "./flow-plan.js";
import type { FlowSchemaRules } from "./flow-schema-match.js";
import { matchFlowSchema } from "./flow-schema-match.js";

/** Requests after which a simulation ends with an error, because a mistyped number would keep it busy for hours. */
const mostRequests = 2_000_000;

/**
 * Simulates API Priority and Fairness for a workload, with the queues, seats and borrowing of a kube-apiserver, in
 * virtual time. Use it to see who waits, who is rejected and who borrows before you change a FlowSchema or a priority
 * level. Throws a `ConfigError` that names the field if an option is invalid.
 *
 * @example
 * ```ts
 * import { formatFlowPlan, planFlowControl } from "kubestream/flowcontrol";
 *
 * const rules = [
 *   {
 *     subjects: [{ kind: "Group", group: { name: "*" } }],
 *     resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
 *   },
 * ];
 * const limitResponse = { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } };
 * const plan = planFlowControl({
 *   serverSeats: 10,
 *   schemas: [
 *     {
 *       metadata: { name: "all" },
 *       spec: { priorityLevelConfiguration: { name: "low" }, distinguisherMethod: { type: "ByUser" }, rules },
 *     },
 *   ],
 *   levels: [
 *     { metadata: { name: "low" }, spec: { type: "Limited", limited: { nominalConcurrencyShares: 10, limitResponse } } },
 *   ],
 *   flows: [
 *     { name: "batch", request: { user: "batch", groups: [], verb: "list", resource: "pods" }, clients: 50, durationMs: 800 },
 *     { name: "user", request: { user: "jane", groups: [], verb: "get", resource: "pods" }, requestsPerSecond: 5, durationMs: 10 },
 *   ],
 * });
 * console.log(formatFlowPlan(plan));
 * ```
 */
export function planFlowControl(options: FlowPlanOptions): FlowPlan {
  const { schemas, levels: given, flows, serverSeats = 600, seconds = 60, seed = 1 } = options;
  positive("serverSeats", serverSeats);
  positive("seconds", seconds);
  const clock = createVirtualClock();
  const peaks = new Map<string, Peak>();
  const levels = new PriorityLevels<undefined>({ clock, serverSeats });
  levels.configure(
    given.map(({ metadata, spec }, index) => {
      if (spec === undefined) throw new ConfigError(`levels[${String(index)}].spec is required`);
      return { name: metadata?.name ?? "", uid: "", spec };
    }),
  );
  const sample = (): void => {
    for (const level of levels.all()) {
      const peak = peaks.get(level.name) ?? { seats: 0, used: 0, waiting: 0 };
      peak.seats = Math.max(peak.seats, level.current);
      peak.used = Math.max(peak.used, level.queues.seatsInUse);
      peak.waiting = Math.max(peak.waiting, level.queues.waiting);
      peaks.set(level.name, peak);
    }
  };
  let requests = 0;
  const count = (): void => {
    if (++requests > mostRequests)
      throw new ConfigError(
        `flows: more than ${String(mostRequests)} requests; shorten seconds, lower requestsPerSecond or use fewer clients`,
      );
  };
  const runs = flows.map((flow, index) => {
    const at = `flows[${String(index)}]`;
    checkFlow(flow, at);
    const schema = matchFlowSchema(schemas, flow.request);
    if (schema === undefined) throw new ConfigError(`${at}.request: no FlowSchema matches`);
    const level = levels.get(schema.spec!.priorityLevelConfiguration.name);
    if (level === undefined)
      throw new ConfigError(
        `${at}.request: FlowSchema ${schema.metadata?.name ?? ""} refers to the missing level ${schema.spec!.priorityLevelConfiguration.name}`,
      );
    return new FlowRun(flow, schema, level, {
      clock,
      random: randomNumbers(seed * 7919 + index),
      endMs: seconds * 1000,
      count,
      sample,
    });
  });
  for (const run of runs) run.start();
  const lastMs = seconds * 1000 + 120_000;
  const tick = (): void => {
    levels.adjustIfDue();
    sample();
    if (clock.now() < lastMs) clock.setTimer(tick, levels.dueAt - clock.now());
  };
  clock.setTimer(tick, levels.dueAt);
  sample();
  clock.runUntil(lastMs);
  return {
    seconds,
    flows: runs.map((run) => run.result()),
    levels: levels.all().map((level) => {
      const { seats, used, waiting } = peaks.get(level.name)!;
      const queuing = given.find(({ metadata }) => metadata?.name === level.name)?.spec?.limited?.limitResponse;
      return {
        name: level.name,
        nominal: level.limits.nominal,
        lower: level.limits.lower,
        mostSeats: seats,
        mostUsed: used,
        borrowed: level.exempt ? 0 : Math.max(0, used - level.limits.nominal),
        mostWaiting: waiting,
        ...(queuing?.type === "Queue" && {
          queues: queuing.queuing?.queues ?? 64,
          handSize: queuing.queuing?.handSize ?? 8,
        }),
      };
    }),
  };
}

interface Peak {
  seats: number;
  used: number;
  waiting: number;
}

interface Simulation {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly endMs: number;
  /** Counts a request. Throws a `ConfigError` if there are too many. */
  count(): void;
  /** Records the current seats and waits of the levels. */
  sample(): void;
}

/** One flow in the simulation. */
class FlowRun {
  readonly #flow: PlannedFlow;
  readonly #schema: string;
  readonly #hash: bigint;
  readonly #level: PriorityLevel<undefined>;
  readonly #simulation: Simulation;
  readonly #waits: number[] = [];
  #requests = 0;
  #queued = 0;
  #rejected = 0;
  #timedOut = 0;

  constructor(flow: PlannedFlow, schema: FlowSchemaRules, level: PriorityLevel<undefined>, simulation: Simulation) {
    const method = schema.spec?.distinguisherMethod?.type;
    const { user, namespace = "" } = flow.request;
    this.#flow = flow;
    this.#schema = schema.metadata?.name ?? "";
    this.#hash = hashFlow(this.#schema, method === "ByUser" ? user : method === "ByNamespace" ? namespace : "");
    this.#level = level;
    this.#simulation = simulation;
  }

  start(): void {
    const { clock } = this.#simulation;
    const { fromSeconds = 0, requestsPerSecond, clients = 0 } = this.#flow;
    const sendAll = (): void => {
      for (let client = 0; client < clients; client += 1) this.#send();
    };
    clock.setTimer(sendAll, fromSeconds * 1000);
    if (requestsPerSecond !== undefined) clock.setTimer(() => this.#arrive(), fromSeconds * 1000 + this.#gapMs());
  }

  result(): FlowPlanFlow {
    this.#waits.sort((a, b) => a - b);
    const at = (part: number): number =>
      this.#waits[Math.min(this.#waits.length - 1, Math.floor(this.#waits.length * part))] ?? 0;
    return {
      name: this.#flow.name,
      flowSchema: this.#schema,
      priorityLevel: this.#level.name,
      requests: this.#requests,
      served: this.#waits.length,
      queued: this.#queued,
      rejected: this.#rejected,
      timedOut: this.#timedOut,
      waitMs: { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: this.#waits.at(-1) ?? 0 },
    };
  }

  #gapMs(): number {
    return (-Math.log(1 - this.#simulation.random()) * 1000) / this.#flow.requestsPerSecond!;
  }

  #arrive(): void {
    if (this.#simulation.clock.now() >= this.#simulation.endMs) return;
    this.#send();
    this.#simulation.clock.setTimer(() => this.#arrive(), this.#gapMs());
  }

  #send(): void {
    const { clock, endMs, count, sample } = this.#simulation;
    if (clock.now() >= endMs) return;
    const { queues } = this.#level;
    const { durationMs, seats = 1, finalSeats = 0, additionalLatencyMs = 0, timeoutMs = 60_000 } = this.#flow;
    const arrivedMs = clock.now();
    count();
    this.#requests += 1;
    const request = queues.start({
      schema: this.#schema,
      hash: this.#hash,
      work: { initialSeats: seats, finalSeats, additionalLatencyMs },
      details: undefined,
      onDispatch: () => {
        this.#waits.push(clock.now() - arrivedMs);
        clock.setTimer(() => {
          queues.finish(request!);
          sample();
          this.#next(0);
        }, durationMs);
      },
    });
    sample();
    if (request === undefined) {
      this.#rejected += 1;
      this.#next(1000);
    } else if (request.startedMs === undefined) {
      this.#queued += 1;
      clock.setTimer(
        () => {
          if (request.startedMs !== undefined || !queues.cancel(request, "time-out")) return;
          this.#timedOut += 1;
          this.#next(1000);
        },
        Math.min(timeoutMs / 4, 60_000),
      );
    }
  }

  /** Lets a client send its next request. After a rejection, it waits for the `Retry-After` of a second. */
  #next(delayMs: number): void {
    if (this.#flow.clients !== undefined) this.#simulation.clock.setTimer(() => this.#send(), delayMs);
  }
}

function positive(field: string, value: number | undefined): void {
  if (value === undefined || !Number.isFinite(value) || value <= 0)
    throw new ConfigError(`${field} must be a number greater than 0`);
}

function checkFlow(flow: PlannedFlow, at: string): void {
  positive(`${at}.durationMs`, flow.durationMs);
  positive(`${at}.seats`, flow.seats ?? 1);
  positive(`${at}.timeoutMs`, flow.timeoutMs ?? 60_000);
  if ((flow.requestsPerSecond === undefined) === (flow.clients === undefined))
    throw new ConfigError(`${at}: set either requestsPerSecond or clients`);
  if (flow.requestsPerSecond !== undefined) positive(`${at}.requestsPerSecond`, flow.requestsPerSecond);
  else positive(`${at}.clients`, flow.clients);
}

/** Creates numbers in [0, 1) from a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
