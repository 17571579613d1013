import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityToNumber,
} from "../../../src/meta/quantity.js";

// Expected values come from apimachinery's resource.Quantity.
describe("quantity", () => {
  it.each([
    ["0", "0"],
    ["0Gi", "0"],
    ["1", "1"],
    ["1000m", "1"],
    ["0.1", "100m"],
    ["1.5", "1500m"],
    ["1500", "1500"],
    ["100000", "100k"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["1023", "1023"],
    ["1Ki", "1Ki"],
    ["1000Ki", "1000Ki"],
    ["1e3", "1e3"],
    ["1E3", "1e3"],
    ["12e1", "120"],
    ["1E", "1E"],
    ["-5m", "-5m"],
    ["+7", "7"],
    [".5", "500m"],
    ["5.", "5"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["-0.1n", "-1n"],
    ["1001m", "1001m"],
    ["0.3Ki", "307200m"],
    ["7Ei", "7Ei"],
    ["9Ei", "9223372036854775807"],
    ["100E", "100E"],
    ["100Ei", "9223372036854775807"],
    ["-100Ei", "-9223372036854775807"],
    ["1e999999999", "1e120"],
    ["1e-999999999", "1e-9"],
  ])("%s has the canonical form %s", (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  it.each(["", "a", "1.2.3", "1 Gi", "--1", ".", "1K"])("parser rejects %j", (text) => {
    expect(() => parseQuantity(text)).toThrow(TypeError);
  });

  it("comparison and sum work across formats", () => {
    expect(compareQuantities("1Gi", "1G")).toBe(1);
    expect(compareQuantities("1000m", "1")).toBe(0);
    expect(compareQuantities("-1", "1n")).toBe(-1);
    expect(formatQuantity(addQuantities(parseQuantity("500m"), parseQuantity("1")))).toBe("1500m");
    expect(quantityToNumber("1.5Gi")).toBe(1610612736);
  });

  // Expected orders and sums come from Go's resource.Quantity.
  it.each([
    ["1n", "-3050150.449Mi", 1, "-3198314557210623999999n"],
    ["1u", "2068885Gi", -1, "2221448353546240000001u"],
    ["1159216m", "1351Pi", -1, "1521090774144386183216m"],
    ["1", "1177Pi", -1, "1325184190353768449"],
    ["2559737k", "8m", 1, "2559737000008m"],
    ["4M", "1n", 1, "4000000000000001n"],
    ["1G", "1620347.240Ki", -1, "2659235573760m"],
    ["1T", "2163437Ki", 1, "1002215359488"],
    ["1P", "1145T", -1, "2145T"],
    ["1E", "1.90n", 1, "1000000000000000000000000002n"],
    ["1643Ki", "1972Pi", -1, "2168236929975915Ki"],
    ["751Mi", "433.877Ti", -1, "477053594005143552m"],
    ["2.1789Gi", "1675.819M", 1, "4015395060313600u"],
    ["557Ti", "651338k", 1, "612428628009232"],
    ["1Pi", "3.518Ei", -1, "4057103753113730285568m"],
    ["3Ei", "3019614.596n", 1, "3458764513820540928003019615n"],
  ] as [string, string, number, string][])("%s compared with %s is %i, and the sum is %s", (a, b, order, sum) => {
    expect(compareQuantities(a, b)).toBe(order);
    expect(compareQuantities(b, a)).toBe(-order);
    expect(formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)))).toBe(sum);
  });

  it.each(
    ["n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map(
      (suffix, index) => [suffix, index < 10 ? 1000 ** (index - 3) : 1024 ** (index - 9)] as const,
    ),
  )("1%s converts to the number %d", (suffix, number) => {
    expect(quantityToNumber(`1${suffix}`)).toBeCloseTo(number, 12);
    expect(formatQuantity(parseQuantity(`3${suffix}`))).toBe(`3${suffix}`);
  });
});

it("a megabyte of digits before an invalid character is refused, in linear time", () => {
  // A pattern that divides the digits at each of them would take hours.
  expect(() => parseQuantity(`${"1".repeat(1_000_000)}x`)).toThrow(TypeError);
});
