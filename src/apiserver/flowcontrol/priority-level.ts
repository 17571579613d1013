import type { Clock } from "../../internal/clock.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";

interface PriorityLevelSpec {
  readonly type: string;
  readonly limited?: {
    readonly nominalConcurrencyShares?: number | null;
    readonly limitResponse?: {
      readonly type: string;
      readonly queuing?: { readonly queues?: number; readonly handSize?: number; readonly queueLengthLimit?: number };
    };
  };
}

/** Counters of one priority level since the server started. */
export interface PriorityLevelCounters {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

/** A request for a seat. */
export interface SeatRequest {
  /** Name of the FlowSchema that classified the request. */
  readonly schema: string;
  /** Flow of the schema that the request belongs to. */
  readonly distinguisher: string;
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

/** A request that waits for a seat. */
export interface WaitingRequest extends SeatRequest {
  readonly arrivedMs: number;
  readonly dispatch: () => void;
}

/** One queue of a priority level. */
export interface RequestQueue {
  readonly waiting: WaitingRequest[];
  /** Number of requests from this queue that hold a seat. */
  executing: number;
}

/** Seats and queues of one PriorityLevelConfiguration. */
export interface PriorityLevel {
  readonly name: string;
  uid: string;
  readonly exempt: () => boolean;
  readonly executing: () => number;
  /** Returns the number of seats that its shares amount to. */
  readonly seats: () => number;
  readonly queues: () => readonly RequestQueue[];
  readonly counters: PriorityLevelCounters;
  /** Updates the configuration and the number of seats. */
  configure(object: ApiObject, seats: number): void;
  /** Waits for a seat. Resolves with a function that frees it, or with `undefined` if the request is rejected. */
  enter(request: SeatRequest, waitMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Returns a level's shares, in proportion to which the server's seats are divided. */
export function sharesOf(object: ApiObject): number {
  const spec = object["spec"] as PriorityLevelSpec | undefined;
  return spec?.type === "Limited" ? (spec.limited?.nominalConcurrencyShares ?? 30) : 0;
}

/**
 * Creates a level without seats; `configure` adds them.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export function createPriorityLevel(name: string, clock: Clock): PriorityLevel {
  const counters: PriorityLevelCounters = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  let spec: PriorityLevelSpec = { type: "Limited" };
  let seats = 0;
  let executing = 0;
  let queues: RequestQueue[] = [];
  let turn = 0;

  /** Takes a seat and returns a function that frees it. */
  const seat = (queue?: RequestQueue): (() => void) => {
    executing += 1;
    counters.dispatched += 1;
    if (queue !== undefined) queue.executing += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      executing -= 1;
      if (queue !== undefined) queue.executing -= 1;
      dispatch();
    };
  };

  const dispatch = (): void => {
    while (executing < seats) {
      // Queues take turns, so a busy flow can't starve the others.
      let next: WaitingRequest | undefined;
      for (let tried = 0; tried < queues.length && next === undefined; tried += 1) {
        next = queues[turn % queues.length]!.waiting.shift();
        turn += 1;
      }
      if (next === undefined) return;
      next.dispatch();
    }
  };

  const queueing = (): { queues: number; handSize: number; queueLengthLimit: number } | undefined => {
    const response = spec.limited?.limitResponse;
    if (response?.type !== "Queue") return undefined;
    return {
      queues: response.queuing?.queues ?? 64,
      handSize: response.queuing?.handSize ?? 8,
      queueLengthLimit: response.queuing?.queueLengthLimit ?? 50,
    };
  };

  return {
    name,
    uid: "",
    counters,
    exempt: () => spec.type === "Exempt",
    executing: () => executing,
    seats: () => seats,
    queues: () => queues,
    configure(object, nominal) {
      spec = object["spec"] as PriorityLevelSpec;
      this.uid = object.metadata?.uid ?? "";
      seats = nominal;
      const wanted = queueing()?.queues ?? 0;
      if (wanted > queues.length)
        queues = [...queues, ...Array.from({ length: wanted - queues.length }, () => ({ waiting: [], executing: 0 }))];
      else if (queues.slice(wanted).every((queue) => queue.waiting.length === 0)) queues = queues.slice(0, wanted);
      dispatch();
    },
    enter(request, waitMs, signal) {
      if (spec.type === "Exempt") return Promise.resolve(seat());
      const queuing = queueing();
      if (queuing === undefined) {
        // A level without queues serves one request even with 0 seats: it is slow, not dead.
        if (executing < seats || executing === 0) return Promise.resolve(seat());
        counters.rejected += 1;
        return Promise.resolve(undefined);
      }
      const flow = `${request.schema} ${request.distinguisher}`;
      const queue = shortest(queues, deal(flow, queuing.queues, queuing.handSize));
      if (executing < seats && queues.every(({ waiting }) => waiting.length === 0)) return Promise.resolve(seat(queue));
      if (queue.waiting.length >= queuing.queueLengthLimit) {
        counters.rejected += 1;
        return Promise.resolve(undefined);
      }
      const freed = waitForSeat({ queue, counters, clock, seat }, request, waitMs, signal);
      dispatch();
      return freed;
    },
  };
}

/** State of a level that waiting requests need. */
interface WaitingRoom {
  readonly queue: RequestQueue;
  readonly counters: PriorityLevelCounters;
  readonly clock: Clock;
  seat(queue: RequestQueue): () => void;
}

/** Queues a request until it gets a seat, times out or its client disconnects. */
function waitForSeat(
  { queue, counters, clock, seat }: WaitingRoom,
  request: SeatRequest,
  waitMs: number,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
      const at = queue.waiting.indexOf(waiting);
      if (at >= 0) queue.waiting.splice(at, 1);
    };
    const waiting: WaitingRequest = {
      ...request,
      arrivedMs: clock.now(),
      dispatch: () => {
        leave();
        resolve(seat(queue));
      },
    };
    const onAbort = (): void => {
      counters.cancelled += 1;
      leave();
      reject(signal.reason as Error);
    };
    const timer = clock.setTimer(() => {
      counters.timedOut += 1;
      counters.rejected += 1;
      leave();
      resolve(undefined);
    }, waitMs);
    signal.addEventListener("abort", onAbort, { once: true });
    queue.waiting.push(waiting);
  });
}

/** Returns the queues that a flow may use: the same few for each of its requests (shuffle sharding). */
function deal(flow: string, deckSize: number, handSize: number): number[] {
  const deck = Array.from({ length: deckSize }, (_, index) => index);
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < flow.length; at += 1)
    hash = BigInt.asUintN(64, (hash ^ BigInt(flow.charCodeAt(at))) * 0x100000001b3n);
  const hand: number[] = [];
  for (let left = deckSize; hand.length < Math.min(handSize, deckSize); left -= 1) {
    const card = Number(hash % BigInt(left));
    hash /= BigInt(left);
    hand.push(...deck.splice(card, 1));
  }
  return hand;
}

function shortest(queues: readonly RequestQueue[], hand: readonly number[]): RequestQueue {
  let best = queues[hand[0]!]!;
  for (const index of hand) if (queues[index]!.waiting.length < best.waiting.length) best = queues[index]!;
  return best;
}
