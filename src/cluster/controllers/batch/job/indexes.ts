/** Reads completion indexes such as `1,3-5`. Indexes from `limit` on are left out. */
export function parseIndexes(text: string | undefined, limit: number = Number.POSITIVE_INFINITY): Set<number> {
  const indexes = new Set<number>();
  for (const part of text === undefined || text === "" ? [] : text.split(",")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last && index < limit; index++) indexes.add(index);
  }
  return indexes;
}

/** Writes completion indexes in ascending order, with consecutive ones as a range: `1,3-5`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges
    .map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}
