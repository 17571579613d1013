import { expect, it } from "vitest";
import { canonical, sameValue } from "../../../../src/apiserver/kinds/shared/checks.js";

const values: readonly unknown[] = [
  undefined,
  null,
  0,
  1,
  "",
  "1",
  false,
  [],
  [null],
  [1],
  [1, 2],
  [[]],
  {},
  { a: null },
  { a: [] },
  { a: { b: {} } },
  { a: 1 },
  { a: 1, b: undefined },
  { b: 2, a: 1 },
  { a: 1, b: 2 },
  { a: { b: 1, c: [] } },
  { a: { b: 1 } },
  { constructor: 1 },
];

it("two values are the same exactly if their canonical texts are equal", () => {
  for (const a of values)
    for (const b of values)
      expect(sameValue(a, b), `${JSON.stringify(a)} and ${JSON.stringify(b)}`).toBe(canonical(a) === canonical(b));
});
