/** Formats a duration like kubectl: `45s`, `3m20s`, `5d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${String(seconds)}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${String(minutes)}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${String(hours)}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair(days, "d", hours % 24, "h");
  if (days < 730) return `${String(days)}d`;
  const years = Math.trunc(days / 365);
  return days < 2920 ? pair(years, "y", days % 365, "d") : `${String(years)}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${String(large)}${largeUnit}` : `${String(large)}${largeUnit}${String(small)}${smallUnit}`;
}

/** Formats the time since a moment, or `<unknown>` without one. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  const ms = time === undefined || time === null ? NaN : Date.parse(time);
  return Number.isNaN(ms) ? "<unknown>" : formatDuration(nowMs - ms);
}
