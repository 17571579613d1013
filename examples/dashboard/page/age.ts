import { useEffect, useState } from "react";

/** Returns the time of day in milliseconds, and renders the component again each second. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** Formats the time since a moment in its largest unit. A server prints ages only when it sends a row. */
export function formatAge(since: string | null | undefined, nowMs: number): string {
  if (since === undefined || since === null) return "";
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
