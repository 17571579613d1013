import { expect, it } from "vitest";
import { readExitStatus } from "../../../src/streams/exit-status.js";

const read = (value: unknown): unknown => {
  try {
    return readExitStatus(
      new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)),
      "exec in x",
    );
  } catch (error) {
    return error;
  }
};
const failed = (message: unknown, reason: unknown = "NonZeroExitCode"): object => ({
  status: "Failure",
  reason,
  details: { causes: [{ reason: "ExitCode", message }] },
});

it.each<[string, unknown, object]>([
  ["success", { status: "Success" }, { code: 0 }],
  ["an exit code", failed("137"), { code: 137 }],
  ["invalid JSON", "{", { name: "ProtocolError", message: "exec in x: the error channel contains no valid Status" }],
  ["null", "null", { name: "ProtocolError" }],
  ["an invalid exit code", failed("x"), { name: "StatusError", code: 500 }],
  [
    "invalid causes",
    { status: "Failure", reason: "NonZeroExitCode", code: "1", details: { causes: {} } },
    { name: "StatusError", code: 500 },
  ],
  [
    "an invalid reason and a message with a token",
    { ...failed("1", 7), code: 403, message: "Bearer s3cret-token" },
    { name: "StatusError", message: "exec in x: 403 Forbidden: Bearer [redacted]" },
  ],
])("readExitStatus handles an error channel with %s", (_name, value, expected) =>
  expect(read(value)).toMatchObject(expected),
);
