import type { Clock, Timer } from "../../internal/clock.js";
import type { HealthCheck, HealthOptions, HealthReport } from "./manager.js";

/** Runs health checks concurrently. A check fails with the message that it returns or throws, or when its time is over. */
export async function reportHealth(
  checks: Readonly<Record<string, HealthCheck>>,
  clock: Clock,
  options: HealthOptions = {},
): Promise<HealthReport> {
  const { only, exclude = [], timeoutMs } = options;
  const chosen = Object.entries(checks).filter(([name]) => only === undefined || only.includes(name));
  const found = await Promise.all(
    chosen.map(async ([name, check]) => {
      if (exclude.includes(name)) return { name, ok: true, excluded: true as const };
      try {
        const message = await inTime(check, clock, timeoutMs);
        return typeof message === "string" ? { name, ok: false, message } : { name, ok: true };
      } catch (error) {
        return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  return { ok: found.every(({ ok }) => ok), checks: found };
}

async function inTime(
  check: HealthCheck,
  clock: Clock,
  timeoutMs: number | undefined,
): Promise<string | undefined | void> {
  if (timeoutMs === undefined) return check();
  let timer: Timer | undefined;
  const late = new Promise<string>((resolve) => {
    timer = clock.setTimer(() => resolve(`the check took longer than ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    timer?.cancel();
  }
}
