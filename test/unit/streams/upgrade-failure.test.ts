import { expect, it } from "vitest";
import { getResponseInfo } from "../../../src/client/call/response-info.js";
import { systemClock } from "../../../src/internal/clock.js";
import { upgradeFailure } from "../../../src/streams/upgrade-failure.js";

it("upgradeFailure keeps the headers of the refusal for interceptors", async () => {
  const response = { status: 403, headers: new Headers({ "audit-id": "a1" }), body: new Blob(["no"]).stream() };
  const failure = await upgradeFailure(response, "GET /exec", systemClock);
  expect(failure).toMatchObject({ code: 403, message: "GET /exec: 403 Forbidden: no" });
  expect(getResponseInfo(failure)?.headers.get("audit-id")).toBe("a1");
});
