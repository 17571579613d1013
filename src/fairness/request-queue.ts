import type { SeatSeconds } from "./seat-seconds.js";
import { msPerSeat, seatSeconds } from "./seat-seconds.js";

/** Service time in milliseconds that is assumed of a request until it ends. */
export const estimatedServiceMs = 3;

/** Seats that a request occupies, and for how long after its response. */
export interface Work {
  /** Seats while the request executes. */
  readonly initialSeats: number;
  /** Seats after the response. */
  readonly finalSeats: number;
  /** Milliseconds after the response during which the final seats stay occupied. */
  readonly additionalLatencyMs: number;
}

/** Returns the seats that a request occupies from its start to its end. */
export function maxSeats({ initialSeats, finalSeats }: Work): number {
  return Math.max(initialSeats, finalSeats);
}

/** Fits the final seats into a level, for a longer time, so that the work stays the same. */
export function narrowWork(work: Work, seats: number): Work {
  const { finalSeats, additionalLatencyMs } = work;
  if (finalSeats <= seats) return work;
  const finalWork = seatSeconds(finalSeats, additionalLatencyMs);
  return { ...work, finalSeats: seats, additionalLatencyMs: msPerSeat(finalWork, seats) };
}

/** A request for seats. */
export interface Arrival<Details> {
  /** Name of the FlowSchema that classified the request. */
  readonly schema: string;
  /** Hash of its flow: requests of a flow share a hand of queues. */
  readonly hash: bigint;
  readonly work: Work;
  /** Data of the caller. */
  readonly details: Details;
  /** Called once when the request gets its seats, maybe before `start` returns. */
  readonly onDispatch?: (() => void) | undefined;
}

/** A request in a queue set. */
export interface QueuedRequest<Details> extends Arrival<Details> {
  /** Time of arrival in milliseconds since the epoch. */
  readonly arrivedMs: number;
  /** Virtual time of arrival. */
  arrivalR: SeatSeconds;
  /** Start of execution in milliseconds since the epoch; `undefined` while the request waits. */
  startedMs: number | undefined;
  /** Start of execution on the monotonic clock. */
  startedAt: number;
  work: Work;
  /** Work of the whole request, with the estimated service time. */
  readonly totalWork: SeatSeconds;
  /** `undefined` in a set without queues. */
  readonly queue: RequestQueue<Details> | undefined;
}

/** One queue: requests that wait, in order of arrival, and requests from it that execute. */
export interface RequestQueue<Details> {
  readonly waiting: QueuedRequest<Details>[];
  readonly executing: Set<QueuedRequest<Details>>;
  /** Virtual time at which its next request starts. */
  nextDispatchR: SeatSeconds;
  /** Seats occupied by its requests, including those that linger after their response. */
  seatsInUse: number;
  initialSeatsSum: number;
  maxSeatsSum: number;
  totalWorkSum: SeatSeconds;
}

/** Creates an empty queue. */
export function createQueue<Details>(): RequestQueue<Details> {
  return {
    waiting: [],
    executing: new Set(),
    nextDispatchR: 0,
    seatsInUse: 0,
    initialSeatsSum: 0,
    maxSeatsSum: 0,
    totalWorkSum: 0,
  };
}

/** True if no request waits in the queue or executes. */
export function isEmpty(queue: RequestQueue<unknown>): boolean {
  return queue.waiting.length === 0 && queue.executing.size === 0;
}

/** Appends a request. */
export function append<Details>(queue: RequestQueue<Details>, request: QueuedRequest<Details>): void {
  queue.waiting.push(request);
  count(queue, request, 1);
}

/** Removes a request that waits. Returns `false` if it isn't in the queue. */
export function remove<Details>(queue: RequestQueue<Details>, request: QueuedRequest<Details>): boolean {
  const at = queue.waiting[0] === request ? 0 : queue.waiting.indexOf(request);
  if (at < 0) return false;
  queue.waiting.splice(at, 1);
  count(queue, request, -1);
  return true;
}

function count<Details>(queue: RequestQueue<Details>, request: QueuedRequest<Details>, sign: 1 | -1): void {
  queue.initialSeatsSum += sign * request.work.initialSeats;
  queue.maxSeatsSum += sign * maxSeats(request.work);
  queue.totalWorkSum += sign * request.totalWork;
}

/** Returns the estimated work of a request. */
export function totalWorkOf(work: Work): SeatSeconds {
  return seatSeconds(work.initialSeats, estimatedServiceMs) + seatSeconds(work.finalSeats, work.additionalLatencyMs);
}

/** Keeps a queue from saving up time: its next request doesn't start before its arrival. */
export function boundNextDispatch(queue: RequestQueue<unknown>): void {
  const oldest = queue.waiting[0];
  if (oldest !== undefined && queue.nextDispatchR < oldest.arrivalR) queue.nextDispatchR = oldest.arrivalR;
}
