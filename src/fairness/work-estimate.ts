import type { Work } from "./request-queue.js";
import { msPerSeat, seatSeconds } from "./seat-seconds.js";

/** Seats of a list: one for each 100 kB that it holds in memory at once. */
const bytesPerSeat = 100_000;
/** Most memory of a list that is served from the watch cache, which streams it. */
const mostCachedBytes = 1_000_000;
/** Size that is assumed if it isn't known. */
const largestObject = 1_500_000;
const mostListSeats = 100;
const mostWriteSeats = 10;
const watchesPerSeat = 10;
const eventMs = 5;

/** Work of a request that takes one seat. */
export const oneSeat: Work = { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0 };

/** A list, or the start of a watch that sends the current objects first. */
export interface ListLoad {
  /** Number of stored objects of the resource. */
  readonly objects: number;
  /** Average size of an object; 0 if it isn't known. */
  readonly averageBytes: number;
  /** Page size; 0 for everything. */
  readonly limit: number;
  /** True if the request selects one object by name. */
  readonly single: boolean;
  /** True for a selector of labels or fields. */
  readonly selects: boolean;
  /** True if the watch cache serves it. */
  readonly cached: boolean;
}

/** Estimates the work of a list. `widest` is the level's limit for one request. */
export function listWork(load: ListLoad, widest: number = mostListSeats): Work {
  const bytesEach = load.averageBytes <= 0 && load.objects > 0 ? largestObject : load.averageBytes;
  const page = load.limit > 0 ? Math.min(load.limit, load.objects) : load.objects;
  const loaded = load.single ? 1 : !load.cached && load.selects ? Math.max(page, Math.floor(load.objects / 2)) : page;
  const bytes = loaded * bytesEach;
  const seats = Math.ceil((load.cached ? Math.min(bytes, mostCachedBytes) : bytes) / bytesPerSeat);
  return { ...oneSeat, initialSeats: Math.min(Math.max(seats, 1), Math.min(widest, mostListSeats)) };
}

/** Estimates the work of a write, whose event goes to `watchers` watches after the response. */
export function writeWork(watchers: number, widest: number = mostWriteSeats): Work {
  if (watchers < watchesPerSeat) return oneSeat;
  const wanted = Math.ceil(watchers / watchesPerSeat);
  const finalSeats = Math.min(wanted, widest, mostWriteSeats);
  return {
    initialSeats: 1,
    finalSeats,
    additionalLatencyMs: msPerSeat(seatSeconds(wanted, eventMs), finalSeats),
  };
}
