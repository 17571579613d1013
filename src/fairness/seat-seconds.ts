/**
 * Amount of work: seats held over time, in units of a hundred-millionth of a seat-second. Whole numbers keep sums exact,
 * so that ties between queues stay ties.
 */
export type SeatSeconds = number;

const unitsPerSecond = 1e8;

/** Returns the work of `seats` held for `ms` milliseconds. */
export function seatSeconds(seats: number, ms: number): SeatSeconds {
  return Math.round((seats * ms * unitsPerSecond) / 1000);
}

/** Returns for how many milliseconds `seats` are held to do this work, in whole nanoseconds. */
export function msPerSeat(work: SeatSeconds, seats: number): number {
  return Math.floor((work * 1e9) / (seats * unitsPerSecond)) / 1e6;
}

/** Converts to seat-seconds as a floating-point number. */
export function toSeconds(work: SeatSeconds): number {
  return work / unitsPerSecond;
}

/** Formats like kube-apiserver's debug dumps: `1.50000000ss`. */
export function formatSeatSeconds(work: SeatSeconds): string {
  const whole = Math.floor(work / unitsPerSecond);
  return `${String(whole)}.${String(work - whole * unitsPerSecond).padStart(8, "0")}ss`;
}
