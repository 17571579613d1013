/**
 * Returns the number that an integer or a percentage such as `25%` stands for. Percentages are of `total`, rounded up or
 * down. An absent value is 0.
 */
export function intOrPercent(value: number | string | undefined, total: number, round: "up" | "down"): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const share = (Number.parseFloat(value) / 100) * total;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
