import { expect, it, vi } from "vitest";
import { sortPathElements } from "../../../../src/apiserver/managedfields/path-element.js";

it("path elements are parsed once each to sort them", () => {
  const elements = Array.from({ length: 6_000 }, (_, at) => `k:{"name":"sorted-${String((at * 40_503) % 65_536)}"}`);
  const parse = vi.spyOn(JSON, "parse");
  const sorted = sortPathElements([...elements]);
  const calls = parse.mock.calls.length;
  parse.mockRestore();
  expect(calls).toBeLessThanOrEqual(elements.length);
  expect(sorted).toEqual(elements.toSorted((a, b) => (a < b ? -1 : 1)));
});
