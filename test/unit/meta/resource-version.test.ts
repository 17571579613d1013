import { expect, it } from "vitest";
import { compareResourceVersions, isComparableResourceVersion } from "../../../src/meta/resource-version.js";

it.each([
  ["1", "2", -1],
  ["2", "1", 1],
  ["7", "7", 0],
  ["9", "10", -1],
  ["100", "99", 1],
  ["99999999999999999999", "100000000000000000000", -1],
  ["9007199254740993", "9007199254740992", 1],
  ["abc", "abc", 0],
  ["abc", "abd", undefined],
  ["0", "1", undefined],
  ["01", "1", undefined],
  ["-1", "1", undefined],
  ["1.5", "2", undefined],
  ["", "1", undefined],
  ["1 ", "1", undefined],
  ["١", "1", undefined],
])("compareResourceVersions(%j, %j) is %j", (a, b, expected) => {
  const sign = (order: number | undefined): number | undefined =>
    order === undefined ? undefined : Math.sign(order) + 0;
  expect([sign(compareResourceVersions(a, b)), sign(compareResourceVersions(b, a))]).toEqual([
    expected,
    expected === undefined ? undefined : 0 - expected + 0,
  ]);
});

it.each([
  ["1", true],
  ["9007199254740993", true],
  ["0", false],
  ["", false],
  [undefined, false],
  ["1e3", false],
  ["0x1", false],
  ["007", false],
])("isComparableResourceVersion(%j) is %j", (version, expected) => {
  expect(isComparableResourceVersion(version)).toBe(expected);
});
