import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConsoleLog, type LogEntry, logToConsole } from "../../../../src/controller/reconcile/controller-log.js";

const levels: LogEntry["level"][] = ["debug", "info", "warn", "error"];

describe("createConsoleLog", () => {
  let written: unknown[][];
  beforeEach(() => {
    written = [];
    for (const level of levels)
      vi.spyOn(console, level).mockImplementation((...parts) => void written.push([level, ...parts]));
  });
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [undefined, ["warn", "error"]],
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ] as const)("writes from level %s on", (level, expected) => {
    const log = createConsoleLog({ level });
    for (const each of levels) log({ level: each, message: "m" });
    expect(written.map(([each]) => each)).toEqual(expected);
  });

  it("writes controller, request, message, fields and error", () => {
    const error = new RangeError("bad");
    const request = { namespace: "web", name: "a" };
    const log = createConsoleLog({ level: "debug" });
    log({ level: "info", message: "checked", controller: "c", request, fields: { size: 3 } });
    log({ level: "error", message: "failed", request: { name: "node-1" }, error });
    log({ level: "debug", message: "alone" });
    expect(written).toEqual([
      ["info", "c web/a: checked", { size: 3 }],
      ["error", "node-1: failed", error],
      ["debug", "alone"],
    ]);
  });

  it("logToConsole drops what isn't a warning or an error", () => {
    for (const level of levels) logToConsole({ level, message: "m" });
    expect(written.map(([each]) => each)).toEqual(["warn", "error"]);
  });

  it("rejects an unknown level", () => {
    expect(() => createConsoleLog({ level: "trace" as never })).toThrow(
      new TypeError('options.level must be one of debug, info, warn, error, not "trace"'),
    );
  });
});
