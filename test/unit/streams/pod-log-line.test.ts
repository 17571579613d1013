import { describe, expect, it } from "vitest";
import { formatPodLogLine } from "../../../src/streams/pod-log-line.js";

describe("formatPodLogLine", () => {
  const line = {
    namespace: "web",
    pod: "a-0",
    container: "main",
    time: "2026-01-01T00:00:01Z",
    text: "hello",
    color: 1,
  };

  it.each([
    [{}, "a-0 main | hello"],
    [{ timestamps: true }, "2026-01-01T00:00:01Z a-0 main | hello"],
    [{ colors: true }, "\u001b[32ma-0 main |\u001b[0m hello"],
  ])("formats a line with %o", (options, expected) => {
    expect(formatPodLogLine(line, options)).toBe(expected);
  });
});
