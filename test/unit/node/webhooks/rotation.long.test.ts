import { expect, it } from "vitest";
import { callWhileRotating } from "../../../support/webhooks/rotating-webhooks.js";

it("webhook servers answer 10,000 calls while their certificate is rotated", { timeout: 600_000 }, async () => {
  const { allowed, failures, certificates } = await callWhileRotating(10_000, 1);
  expect(failures).toEqual([]);
  expect(allowed).toBe(10_000);
  expect(certificates).toBeGreaterThan(10);
});
