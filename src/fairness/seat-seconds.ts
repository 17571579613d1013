/**
 * Amount of work: seats held over time, in units of a hundred-millionth of a seat-second. Whole numbers keep sums exact,
 * so that ties between queues stay ties.
 */
export type SeatSeconds = number;

const UNITS_PER_SECOND = 1e8;

/** Returns the work of `seats` held for `ms` milliseconds. */
export function seatSeconds(seats: number, ms: number): SeatSeconds {
  return Math.round((seats * ms * UNITS_PER_SECOND) / 1000);
}

/** Returns for how many milliseconds `seats` are held to do this work, in whole nanoseconds. */
export function msPerSeat(work: SeatSeconds, seats: number): number {
  return Math.floor((work * 1e9) / (seats * UNITS_PER_SECOND)) / 1e6;
}

/** Converts to seat-seconds as a floating-point number. */
export function toSeconds(work: SeatSeconds): number {
  return work / UNITS_PER_SECOND;
}

/** Formats like kube-apiserver's debug dumps: `1.50000000ss`. */
export function formatSeatSeconds(work: SeatSeconds): string {
  const whole = Math.floor(work / UNITS_PER_SECOND);
  return `${String(whole)}.${String(work - whole * UNITS_PER_SECOND).padStart(8, "0")}ss`;
}
