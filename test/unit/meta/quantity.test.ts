import { describe, expect, it } from "vitest";
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityToNumber } from "../../../src/meta/quantity.js";

// Canonical forms as apimachinery's resource.Quantity prints them.
describe("quantities", () => {
  it.each([
    ["0", "0"], ["0Gi", "0"], ["1", "1"], ["1000m", "1"], ["0.1", "100m"], ["1.5", "1500m"], ["1500", "1500"], ["100000", "100k"], ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"], ["0.5Ki", "512"], ["1023", "1023"], ["1Ki", "1Ki"], ["1000Ki", "1000Ki"], ["1e3", "1e3"], ["1E3", "1e3"], ["12e1", "120"],
    ["1E", "1E"], ["-5m", "-5m"], ["+7", "7"], [".5", "500m"], ["5.", "5"], ["1n", "1n"], ["0.1n", "1n"], ["-0.1n", "-1n"], ["1001m", "1001m"], ["0.3Ki", "307200m"],
    ["7Ei", "7Ei"], ["9Ei", "9223372036854775807"], ["1000E", "9223372036854775807"], ["1e999999999", "9223372036854775807"], ["1e-999999999", "1e-9"],
  ])("%s is %s", (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  it.each(["", "a", "1.2.3", "1 Gi", "--1", ".", "1K"])("refuses %j", (text) => {
    expect(() => parseQuantity(text)).toThrow(TypeError);
  });

  it("compares and adds across formats", () => {
    expect(compareQuantities("1Gi", "1G")).toBe(1);
    expect(compareQuantities("1000m", "1")).toBe(0);
    expect(compareQuantities("-1", "1n")).toBe(-1);
    expect(formatQuantity(addQuantities(parseQuantity("500m"), parseQuantity("1")))).toBe("1500m");
    expect(quantityToNumber("1.5Gi")).toBe(1610612736);
  });
});
