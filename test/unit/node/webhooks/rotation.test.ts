import { expect, it } from "vitest";
import { callWhileRotating } from "../../../support/webhooks/rotating-webhooks.js";

it("two replicas of a webhook server rotate their certificate through a Secret, and no call fails", async () => {
  const { failures, allowed, certificates, steps } = await callWhileRotating(800, 7);
  expect(failures).toEqual([]);
  expect(allowed).toBe(800);
  expect(certificates).toBeGreaterThanOrEqual(2);
  expect(steps.slice(0, 7)).toEqual([
    "webhooks: created a certificate",
    'webhooks: updated the caBundle of ValidatingWebhookConfiguration "hooks"',
    "webhooks: created the next certificate, publishing its authority",
    'webhooks: updated the caBundle of ValidatingWebhookConfiguration "hooks"',
    "webhooks: all configurations list the authority of the next certificate",
    "webhooks: serving the next certificate",
    "webhooks: stopped trusting the former authority",
  ]);
});
