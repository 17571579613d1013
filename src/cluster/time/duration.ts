const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90s`, `1h30m` or `2d` to milliseconds. Throws a `TypeError` if it's invalid. */
export function parseDuration(text: string): number {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text))
    throw new TypeError(
      `invalid duration ${JSON.stringify(text.slice(0, 50))}: use numbers with ms, s, m, h or d, such as "1h30m"`,
    );
  let total = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy))
    total += Number(number) * unitMs[unit!]!;
  return total;
}

/** Returns the milliseconds of a time to skip. Throws a `TypeError` for an invalid duration, and for one without end. */
export function skippedMs(duration: number | string): number {
  if (typeof duration === "string") return parseDuration(duration);
  if (Number.isFinite(duration) && duration >= 0) return duration;
  throw new TypeError(`invalid duration ${duration}: use a non-negative number of milliseconds, or "1h30m"`);
}
