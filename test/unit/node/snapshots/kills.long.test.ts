import { expect, it } from "vitest";
import { killWriters } from "./kills.js";

it("300 kills during writes never leave a wrong or mixed snapshot", { timeout: 900_000 }, async () => {
  const report = await killWriters(300, Math.random);
  expect(report.valid).toBe(300);
  expect(report.generations).toBeGreaterThan(250);
  expect(report.unfinished).toBeGreaterThan(15);
});
