import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConsoleLog, type LogEntry, logToConsole } from "../../../../src/controller/reconcile/controller-log.js";
import { logToPino } from "../../../../src/controller/reconcile/structured-log.js";

const levels: LogEntry["level"][] = ["debug", "info", "warn", "error"];

describe("logToPino", () => {
  const written: unknown[][] = [];
  const write =
    (level: string) =>
    (...given: unknown[]): void =>
      void written.push([level, ...given]);
  const logger = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  beforeEach(() => void (written.length = 0));

  it.each(levels)("keeps the level %s", (level) => {
    logToPino(logger)({ level, message: "m" });
    expect(written).toEqual([[level, {}, "m"]]);
  });

  it("passes what an entry is about as fields, and the error as err", () => {
    const error = new Error("bad");
    const request = { namespace: "web", name: "a" };
    const fields = { colour: "blue", controller: "other" };
    logToPino(logger)({ level: "error", message: "m", controller: "c", request, reconcileId: "1", error, fields });
    expect(written).toEqual([
      ["error", { colour: "blue", controller: "c", request, reconcileId: "1", err: error }, "m"],
    ]);
  });

  it("calls the logger's methods with their this", () => {
    class Logger {
      readonly lines: string[] = [];
      debug(): void {}
      info(_fields: object, message = ""): void {
        this.lines.push(message);
      }
      warn(): void {}
      error(): void {}
    }
    const own = new Logger();
    logToPino(own)({ level: "info", message: "m" });
    expect(own.lines).toEqual(["m"]);
  });
});

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
