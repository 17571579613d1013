import type { Clock } from "../internal/clock.js";
import { allocateSeats } from "./allocate-seats.js";
import type { LevelSpec } from "./level-limits.js";
import { disciplineOf, limitsOf, type SeatLimits, sharesOf } from "./level-limits.js";
import { QueueSet } from "./queue-set.js";
import type { QueueSetEvents } from "./queue-set-events.js";
import type { SeatDemand } from "./seat-demand.js";
import { SeatDemandMeter } from "./seat-demand.js";

/** Time between two adjustments of the seats. */
const adjustmentMs = 10_000;
/** Number of missed adjustments that are made up for. */
const mostMissed = 500;

/** Configuration of a priority level. */
export interface LevelObject {
  readonly name: string;
  readonly uid: string;
  readonly spec: LevelSpec;
}

/** A priority level at work. */
export interface PriorityLevel<Details> {
  readonly name: string;
  readonly queues: QueueSet<Details>;
  uid: string;
  exempt: boolean;
  /** True if its configuration was deleted and its last requests are being served. */
  quiescing: boolean;
  limits: SeatLimits;
  /** Seats that it has now, after lending and borrowing. */
  current: number;
  /** Seats that the last adjustment aimed for. */
  target: number;
  demand: SeatDemand;
}

interface LevelState<Details> extends PriorityLevel<Details> {
  readonly meter: SeatDemandMeter;
  spec: LevelSpec;
}

/** Options for `PriorityLevels`. */
export interface PriorityLevelsOptions {
  readonly clock: Clock;
  /** Seats of the whole server. */
  readonly serverSeats: number;
  /** Creates the observer of a new level. */
  readonly observe?: ((level: string) => QueueSetEvents) | undefined;
}

/** All priority levels of a server: divides the seats among them, and lets those in need borrow from the others. */
export class PriorityLevels<Details> {
  readonly #options: PriorityLevelsOptions;
  readonly #levels: Map<string, LevelState<Details>> = new Map();
  #nominalSum = 0;
  #fairFraction = 0;
  #dueAt: number;

  constructor(options: PriorityLevelsOptions) {
    this.#options = options;
    this.#dueAt = options.clock.monotonic() + adjustmentMs;
  }

  /** Returns the level with this name. */
  get(name: string): PriorityLevel<Details> | undefined {
    return this.#levels.get(name);
  }

  /** Returns all levels, in order of their names. */
  all(): readonly PriorityLevel<Details>[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Fraction of its target that a level gets at most; 0 if the lower limits leave nothing to divide. */
  get fairFraction(): number {
    return this.#fairFraction;
  }

  /** Number of requests that fit in the queues of all levels. */
  get queueCapacity(): number {
    let sum = 0;
    for (const { spec } of this.#levels.values()) {
      const discipline = disciplineOf(spec);
      if (typeof discipline === "object") sum += discipline.queues * discipline.queueLengthLimit;
    }
    return sum;
  }

  /** Sum of the nominal limits: a little more than the server's seats, because each is rounded up. */
  get nominalSum(): number {
    return this.#nominalSum;
  }

  /** Applies a configuration. A level that it doesn't contain stays until its last request is done. */
  configure(objects: readonly LevelObject[]): void {
    const wanted = new Set<string>();
    const fresh = new Set<LevelState<Details>>();
    for (const { name, uid, spec } of objects) {
      wanted.add(name);
      let level = this.#levels.get(name);
      if (level === undefined) {
        level = this.#create(name, spec);
        this.#levels.set(name, level);
        fresh.add(level);
      }
      level.uid = uid;
      level.spec = spec;
      level.exempt = spec.type === "Exempt";
      level.quiescing = false;
    }
    for (const [name, level] of this.#levels) {
      if (wanted.has(name)) continue;
      level.quiescing = true;
      if (level.queues.isIdle) this.#levels.delete(name);
    }
    let shares = 0;
    for (const { spec } of this.#levels.values()) shares += sharesOf(spec);
    this.#nominalSum = 0;
    for (const level of this.#levels.values()) {
      level.limits = limitsOf(level.spec, shares, this.#options.serverSeats);
      this.#nominalSum += level.limits.nominal;
      if (fresh.has(level))
        level.current = level.limits.nominal - Math.floor((level.limits.nominal - level.limits.lower) / 2);
    }
    this.#adjust(this.#options.clock.monotonic());
  }

  /** True if a deleted level has served its last request: `configure` removes it. */
  hasIdleRemains(): boolean {
    for (const level of this.#levels.values()) if (level.quiescing && level.queues.isIdle) return true;
    return false;
  }

  /**
   * Makes the adjustments that have become due, every ten seconds since the start. Call it before anything changes, so
   * that each period sees its own demand.
   */
  adjustIfDue(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#dueAt) return;
    // After a long time without requests, the last adjustments don't differ.
    this.#dueAt = Math.max(this.#dueAt, now - ((now - this.#dueAt) % adjustmentMs) - mostMissed * adjustmentMs);
    for (; this.#dueAt <= now; this.#dueAt += adjustmentMs) this.#adjust(this.#dueAt);
  }

  /** Time on the monotonic clock of the next adjustment. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /** Divides the seats by the demand since the last adjustment. */
  #adjust(at: number): void {
    const limited: LevelState<Details>[] = [];
    let remaining = this.#nominalSum;
    for (const level of this.#levels.values()) {
      level.demand = level.meter.endPeriod(at);
      if (level.exempt) {
        level.current = Math.max(level.limits.lower, level.demand.highWatermark);
        level.target = level.current;
        remaining -= level.current;
      } else limited.push(level);
    }
    const claims = limited.map(({ limits, demand }) => {
      const lower = Math.max(limits.lower, Math.min(limits.nominal, demand.highWatermark));
      return { lower, upper: limits.upper, target: Math.max(lower, demand.smoothed) };
    });
    const reserved = limited.reduce((sum, { limits }) => sum + limits.lower, 0);
    const needed = claims.reduce((sum, { lower }) => sum + lower, 0);
    let seats: readonly number[];
    this.#fairFraction = 0;
    if (remaining <= reserved) seats = limited.map(({ limits }) => limits.lower);
    else if (remaining <= needed) {
      const part = (remaining - reserved) / (needed - reserved);
      seats = limited.map(({ limits }, index) => limits.lower + (claims[index]!.lower - limits.lower) * part);
    } else {
      const allocation = allocateSeats(this.#nominalSum, claims);
      seats = allocation?.seats ?? limited.map(({ current }) => current);
      this.#fairFraction = allocation?.fraction ?? 0;
    }
    for (const [index, level] of limited.entries()) {
      level.current = Math.round(seats[index]!);
      level.target = claims[index]!.target;
    }
    for (const { queues, spec, current } of this.#levels.values())
      queues.configure(
        disciplineOf(spec),
        current,
        current > 0 ? current : Math.max(1, Math.round(this.#options.serverSeats / 10)),
      );
  }

  /** Cancels the timers of all levels. */
  close(): void {
    for (const { queues } of this.#levels.values()) queues.close();
  }

  #create(name: string, spec: LevelSpec): LevelState<Details> {
    const { clock, observe } = this.#options;
    const meter = new SeatDemandMeter(clock);
    const events = observe?.(name) ?? {};
    const queues = new QueueSet<Details>(clock, {
      ...events,
      demanded(seats) {
        meter.set(seats);
        events.demanded?.(seats);
      },
    });
    return {
      name,
      uid: "",
      spec,
      queues,
      meter,
      exempt: false,
      quiescing: false,
      limits: { nominal: 0, lower: 0, upper: 0, widest: undefined },
      current: 0,
      target: 0,
      demand: meter.demand,
    };
  }
}
