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
