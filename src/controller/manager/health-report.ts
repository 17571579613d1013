import type { HealthCheck, HealthReport } from "./manager.js";

/** Runs health checks concurrently. A check fails with the message that it returns or throws. */
export async function reportHealth(checks: Readonly<Record<string, HealthCheck>>): Promise<HealthReport> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        const message = await check();
        return typeof message === "string" ? { name, ok: false, message } : { name, ok: true };
      } catch (error) {
        return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  return { ok: found.every(({ ok }) => ok), checks: found };
}
