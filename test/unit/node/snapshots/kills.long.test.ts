import { expect, it } from "vitest";
import { killWriters } from "./kills.js";

it("1,000 kills during writes never leave a wrong or mixed snapshot", { timeout: 900_000 }, async () => {
  const report = await killWriters(1_000, Math.random);
  expect(report.valid).toBeGreaterThan(900);
  expect(report.generations).toBeGreaterThan(100);
  expect(report.unfinished).toBeGreaterThan(50);
});
