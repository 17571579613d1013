import type { Clock, Timer } from "../internal/clock.js";
import { chooseQueue } from "./choose-queue.js";
import type { QueueSetEvents } from "./queue-set-events.js";
import type { Arrival, QueuedRequest, RequestQueue } from "./request-queue.js";
import {
  append,
  boundNextDispatch,
  createQueue,
  estimatedServiceMs,
  isEmpty,
  maxSeats,
  narrowWork,
  remove,
  totalWorkOf,
} from "./request-queue.js";
import type { SeatSeconds } from "./seat-seconds.js";
import { seatSeconds, toSeconds } from "./seat-seconds.js";
import { createDealer } from "./shuffle-sharding.js";

/** Queues of a priority level. */
export interface Queuing {
  /** Number of queues. */
  readonly queues: number;
  /** Number of queues that a flow may use. */
  readonly handSize: number;
  /** Number of requests that a queue holds. */
  readonly queueLengthLimit: number;
}

/** Queues, `"reject"` for a level that rejects what has no seat, or `"exempt"` for one without a limit. */
export type Discipline = Queuing | "reject" | "exempt";

/** Counters since the creation of a queue set. */
export interface QueueSetCounters {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

/** Epochs keep virtual time in the range of exact numbers. */
const epoch: SeatSeconds = 2 ** 51;

/**
 * Fair queuing of requests for the seats of one priority level, by the algorithm of API Priority and Fairness. Each queue
 * gets the same share of the seats as long as it wants them. The progress `currentR` is the work that a queue that never
 * runs empty has been granted; a queue's next request starts, virtually, when the work of those before it is done. The
 * request that would virtually finish first is dispatched first. The service time of a request isn't known before it
 * ends, so an estimate is used and corrected afterwards.
 *
 * All calls are synchronous, and time comes from the clock: with a simulated clock, a queue set is deterministic.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness
 */
export class QueueSet<Details> {
  readonly counters: QueueSetCounters = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  /** Requests that execute in a set without queues. */
  readonly queueless: Set<QueuedRequest<Details>> = new Set();
  currentR: SeatSeconds = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  waiting = 0;
  executing = 0;
  readonly #queues: RequestQueue<Details>[] = [];
  readonly #clock: Clock;
  readonly #events: QueueSetEvents;
  readonly #lingering: Set<Timer> = new Set();
  #discipline: Discipline = "reject";
  #deal: (hash: bigint) => readonly number[] = () => [];
  #seats = 0;
  #lastAt: number;
  /** Position of the queue that was dispatched from last: ties go to the queues after it. */
  #robin = 0;
  #enqueues = 0;

  constructor(clock: Clock, events: QueueSetEvents = {}) {
    this.#clock = clock;
    this.#events = events;
    this.#lastAt = clock.monotonic();
  }

  /** Queues by number. Created when they are first read, because most levels of a short-lived server get no request. */
  get queues(): readonly RequestQueue<Details>[] {
    const wanted = typeof this.#discipline === "object" ? this.#discipline.queues : 0;
    while (this.#queues.length < wanted) this.#queues.push(createQueue());
    return this.#queues;
  }

  /** Number of seats that requests may occupy at once. */
  get seats(): number {
    return this.#seats;
  }

  /** True if no request waits or executes. */
  get isIdle(): boolean {
    return this.waiting === 0 && this.executing === 0;
  }

  /**
   * Changes queues and seats. New queues serve at once; queues too many are removed when they are empty. `denominator`
   * is the number of seats that utilization refers to.
   */
  configure(discipline: Discipline, seats: number, denominator: number = Math.max(seats, 1)): void {
    this.#syncTime();
    const before = this.#discipline;
    this.#discipline = discipline;
    this.#seats = seats;
    const wanted = typeof discipline === "object" ? discipline : undefined;
    if (wanted !== undefined) {
      const old = typeof before === "object" ? before : undefined;
      if (old?.queues !== wanted.queues || old.handSize !== wanted.handSize)
        this.#deal = createDealer(wanted.queues, wanted.handSize);
    }
    for (const queue of this.#queues.slice(wanted?.queues ?? 0)) this.#removeSurplus(queue);
    this.#events.limited?.(
      wanted === undefined ? 1 : Math.max(1, wanted.queueLengthLimit) * wanted.queues,
      denominator,
    );
    this.#dispatchAll();
  }

  /**
   * Queues a request, and dispatches what can be dispatched. Returns `undefined` if the request is rejected.
   */
  start(arrival: Arrival<Details>): QueuedRequest<Details> | undefined {
    this.#syncTime();
    const { schema, hash, work, details, onDispatch } = arrival;
    // Without a spread: adding properties to a copy takes Node 20 several microseconds.
    const request: QueuedRequest<Details> = {
      schema,
      hash,
      work,
      details,
      onDispatch,
      arrivedMs: this.#clock.now(),
      arrivalR: this.currentR,
      startedMs: undefined,
      startedAt: 0,
      totalWork: totalWorkOf(work),
      queue: typeof this.#discipline === "object" ? this.#chooseQueue(hash) : undefined,
    };
    const { queue } = request;
    if (typeof this.#discipline !== "object" || queue === undefined) {
      if (!this.#fits(maxSeats(request.work))) {
        this.#reject(request, "concurrency-limit");
        return undefined;
      }
      this.#execute(request);
      this.#demand();
      return request;
    }
    if (this.seatsInUse >= this.#seats && queue.waiting.length >= this.#discipline.queueLengthLimit) {
      this.#reject(request, "queue-full");
      return undefined;
    }
    if (isEmpty(queue)) queue.nextDispatchR = this.currentR;
    append(queue, request);
    this.waiting += 1;
    this.seatsWaiting += maxSeats(request.work);
    this.#events.queued?.(request.schema, maxSeats(request.work), queue.waiting.length);
    this.#demand();
    boundNextDispatch(queue);
    this.#dispatchAll();
    return request;
  }

  /** Takes a request out of its queue. Returns `false` if it executes already. */
  cancel(request: QueuedRequest<Details>, reason: "time-out" | "cancelled"): boolean {
    this.#syncTime();
    const { queue } = request;
    if (queue === undefined || !remove(queue, request)) return false;
    this.#leaveQueue(request);
    this.counters.rejected += 1;
    this.counters[reason === "time-out" ? "timedOut" : "cancelled"] += 1;
    this.#events.rejected?.(request.schema, "time-out");
    this.#demand();
    boundNextDispatch(queue);
    this.#removeSurplus(queue);
    this.#dispatchAll();
    return true;
  }

  /**
   * Ends the execution of a request: corrects its queue's progress by the actual service time, frees the seats, after
   * the additional latency if it has one, and dispatches what fits now.
   */
  finish(request: QueuedRequest<Details>): void {
    this.#syncTime();
    const { queue, work, schema } = request;
    if (!(queue?.executing ?? this.queueless).delete(request)) return;
    this.executing -= 1;
    this.#events.executed?.(schema);
    if (queue !== undefined) {
      const actualMs = this.#clock.monotonic() - request.startedAt;
      queue.nextDispatchR -= seatSeconds(work.initialSeats, estimatedServiceMs - actualMs);
      boundNextDispatch(queue);
    }
    if (work.additionalLatencyMs > 0) {
      const timer = this.#clock.setTimer(() => {
        this.#lingering.delete(timer);
        this.#syncTime();
        this.#free(request);
        this.#dispatchAll();
      }, work.additionalLatencyMs);
      this.#lingering.add(timer);
    } else this.#free(request);
    this.#dispatchAll();
  }

  /** Cancels the timers of requests whose seats stay occupied after their response. */
  close(): void {
    for (const timer of this.#lingering) timer.cancel();
    this.#lingering.clear();
  }

  #reject(request: QueuedRequest<Details>, reason: "queue-full" | "concurrency-limit"): void {
    this.counters.rejected += 1;
    this.#events.rejected?.(request.schema, reason);
  }

  /** Advances virtual time by the time that has passed in the current state. Call it before changing the state. */
  #syncTime(): void {
    const at = this.#clock.monotonic();
    const passedMs = at - this.#lastAt;
    this.#lastAt = at;
    if (passedMs <= 0 || this.isIdle) return;
    let active = 0;
    let wanted = 0;
    for (const queue of this.#queues) {
      wanted += queue.seatsInUse + queue.maxSeatsSum;
      if (!isEmpty(queue)) active += 1;
    }
    if (active === 0) return;
    this.currentR += seatSeconds(Math.min(wanted, this.#seats) / active, passedMs);
    if (this.currentR >= epoch + epoch / 2) this.#advanceEpoch();
  }

  #advanceEpoch(): void {
    this.currentR -= epoch;
    for (const queue of this.#queues) {
      // The time of an empty queue is set when a request arrives.
      queue.nextDispatchR = isEmpty(queue) ? 0 : queue.nextDispatchR - epoch;
      for (const request of queue.waiting) request.arrivalR -= epoch;
    }
    this.#events.epochAdvanced?.();
  }

  /** Returns the queue of the flow's hand with the least work. The search starts at another place each time. */
  #chooseQueue(hash: bigint): RequestQueue<Details> {
    const hand = this.#deal(hash);
    const offset = this.#enqueues % hand.length;
    this.#enqueues += 1;
    const { queues } = this;
    let best = queues[hand[offset]!]!;
    for (let i = 1; i < hand.length; i += 1) {
      const queue = queues[hand[(offset + i) % hand.length]!]!;
      if (queue.totalWorkSum < best.totalWorkSum) best = queue;
    }
    return best;
  }

  /** True if a request of this width can execute now. One that is wider than the level executes alone. */
  #fits(seats: number): boolean {
    if (this.#discipline === "exempt") return true;
    if (seats > this.#seats) return this.executing === 0;
    return this.seatsInUse + seats <= this.#seats;
  }

  #dispatchAll(): void {
    while (this.waiting > 0 && this.seatsInUse < this.#seats && this.#dispatchNext());
  }

  /** Dispatches the request that would finish first. Returns `false` if it doesn't fit yet. */
  #dispatchNext(): boolean {
    const { at, starts, discounted } = chooseQueue(this.#queues, this.#robin);
    const queue = this.#queues[at];
    const request = queue?.waiting[0];
    if (queue === undefined || request === undefined) return false;
    if (!this.#fits(maxSeats(request.work))) {
      this.#events.notAccommodated?.(request.schema);
      return false;
    }
    this.#robin = at;
    remove(queue, request);
    this.#leaveQueue(request);
    this.#events.dispatched?.({
      current: toSeconds(this.currentR),
      start: toSeconds(queue.nextDispatchR),
      starts: [toSeconds(starts[0]), toSeconds(starts[1])],
      discounted: [toSeconds(discounted[0]), toSeconds(discounted[1])],
    });
    request.work = narrowWork(request.work, this.#seats);
    queue.nextDispatchR += request.totalWork;
    boundNextDispatch(queue);
    this.#execute(request);
    this.#demand();
    return true;
  }

  #leaveQueue({ schema, work }: QueuedRequest<Details>): void {
    this.waiting -= 1;
    this.seatsWaiting -= maxSeats(work);
    this.#events.unqueued?.(schema, maxSeats(work));
  }

  #execute(request: QueuedRequest<Details>): void {
    const seats = maxSeats(request.work);
    request.startedMs = this.#clock.now();
    request.startedAt = this.#clock.monotonic();
    this.executing += 1;
    this.seatsInUse += seats;
    this.counters.dispatched += 1;
    if (request.queue === undefined) this.queueless.add(request);
    else {
      request.queue.executing.add(request);
      request.queue.seatsInUse += seats;
    }
    this.#events.executing?.(request.schema, seats);
    request.onDispatch?.();
  }

  #free(request: QueuedRequest<Details>): void {
    const seats = maxSeats(request.work);
    this.seatsInUse -= seats;
    this.#events.freed?.(request.schema, seats);
    this.#demand();
    if (request.queue === undefined) return;
    request.queue.seatsInUse -= seats;
    this.#removeSurplus(request.queue);
  }

  /** Removes an empty queue if there are more queues than configured. */
  #removeSurplus(queue: RequestQueue<Details>): void {
    const wanted = typeof this.#discipline === "object" ? this.#discipline.queues : 0;
    if (this.#queues.length <= wanted || !isEmpty(queue) || queue.seatsInUse > 0) return;
    const at = this.#queues.indexOf(queue);
    if (at < 0) return;
    this.#queues.splice(at, 1);
    if (this.#robin >= at) this.#robin -= 1;
  }

  #demand(): void {
    this.#events.demanded?.(this.seatsInUse + this.seatsWaiting);
  }
}
