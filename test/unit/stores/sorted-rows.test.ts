import { expect, it } from "vitest";
import { naturalKey, sortKey } from "../../../src/stores/sort-key.js";
import { createSortedRows, type Row } from "../../../src/stores/sorted-rows.js";
import { chooseSeed } from "../../support/seed.js";

const seed = chooseSeed(20_261_123);

/** Random numbers below `limit` that a seed determines. */
function randoms(start: number): (limit: number) => number {
  let state = start >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

it.each([
  [60, false],
  [60, true],
  // Batches are small next to the list, so that its unchanged parts are copied.
  [1_500, false],
  [1_500, true],
])("sorted rows of %i keys equal a full sort after random batches (descending: %s)", (keys, descending) => {
  const random = randoms(seed);
  const rows = createSortedRows<string>(descending);
  const model = new Map<string, Row<string>>();
  for (let round = 0; round < (keys > 60 ? 100 : 300); round++) {
    const size = round === 0 ? keys : random(3) === 0 ? 40 : random(5);
    for (let i = 0; i < size; i++) {
      const key = `k${random(keys)}`;
      const sort = [undefined, random(5), `t${random(5)}`][random(3)];
      const row = random(4) === 0 ? undefined : { key, sort, value: `${key}@${round}.${i}` };
      rows.set(key, row);
      if (row === undefined) model.delete(key);
      else model.set(key, row);
    }
    rows.flush();
    const rank = ({ sort }: Row<string>): number =>
      sort === undefined ? 9 : (typeof sort === "number" ? 1 : 2) * (descending ? -1 : 1);
    const expected = [...model.values()].sort(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.sort === b.sort ? 0 : (a.sort! < b.sort! ? -1 : 1) * (descending ? -1 : 1)) ||
        (a.key < b.key ? -1 : 1),
    );
    expect(rows.slice()).toEqual(expected.map(({ value }) => value));
    expect(rows.size).toBe(model.size);
  }
});

it("an event in 100,000 sorted rows costs a thousandth of their sort", () => {
  const random = randoms(seed);
  const rows = createSortedRows<number>();
  const cpu = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const all = cpu(() => {
    for (let i = 0; i < 100_000; i++) rows.set(`pod-${i}`, { key: `pod-${i}`, sort: random(1_000_000), value: i });
    rows.flush();
  });
  const events = cpu(() => {
    for (let i = 0; i < 200; i++) {
      const key = `pod-${random(100_000)}`;
      rows.set(key, { key, sort: random(1_000_000), value: -i });
      rows.flush();
    }
  });
  expect(events / 200 / all).toBeLessThan(0.005);
});

it.each([
  ["pod-9", "pod-10"],
  ["3", "10 (5m ago)"],
  ["a-007", "A-8"],
  ["2.9.1", "2.10.0"],
])("natural keys sort %s before %s", (a, b) => {
  expect(naturalKey(a) < naturalKey(b)).toBe(true);
});

const columns = [
  { name: "Name", type: "string", format: "name", description: "", priority: 0 },
  { name: "Age", type: "string", format: "", description: "", priority: 0 },
  { name: "Restarts", type: "integer", format: "", description: "", priority: 0 },
  { name: "Last Seen", type: "string", format: "", description: "", priority: 0 },
];
const row = (cells: unknown[], creationTimestamp?: string) => ({
  cells,
  columns,
  object: null,
  metadata: { name: "a", ...(creationTimestamp !== undefined && { creationTimestamp }) },
});

it.each([
  ["age by the creation time", row([], "1970-01-01T00:00:01Z"), "age", undefined],
  ["age of a filled cell", row(["a", "5d"], "1970-01-01T00:00:01Z"), "age", -1_000],
  ["age without a creation time", row(["a", "5d4h"]), "age", 446_400],
  ["an integer as text", row(["a", "5d", "12"]), "restarts", 12],
  ["an integer", row(["a", "5d", 12]), "restarts", 12],
  ["a duration", row(["a", "5d", 1, "3m2s"]), "last seen", 182],
  ["an empty cell", row([""]), "name", undefined],
  ["an unknown column", row(["a"]), "none", undefined],
])("sort key of %s", (_what, given, column, expected) => {
  expect(sortKey(given, column)).toBe(expected);
});
