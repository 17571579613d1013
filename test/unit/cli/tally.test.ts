import { expect, it } from "vitest";
import { createTally } from "../../../src/cli/demo/tally.js";

it("tally counts objects that come and go and drops empty rows", () => {
  const tally = createTally();
  for (const [row, column] of [
    ["web", "Running"],
    ["web", "Running"],
    ["web", "Failed"],
    ["api", "Running"],
  ] as const)
    tally.add(row, column);
  tally.remove("web", "Failed");
  expect(tally.total).toBe(3);
  expect(tally.rows().map(({ row, total }) => [row, total])).toEqual([
    ["web", 2],
    ["api", 1],
  ]);
  expect([...tally.columns()]).toEqual([["Running", 3]]);
  tally.remove("api", "Running");
  expect(tally.rows().map(({ row }) => row)).toEqual(["web"]);
});

it("tally accepts row names such as __proto__ as data", () => {
  const tally = createTally();
  tally.add("__proto__", "constructor");
  expect(tally.rows().map(({ row, total }) => [row, total])).toEqual([["__proto__", 1]]);
});
