import { describe, expect, it } from "vitest";
import { createLogCursor } from "../../../src/streams/log-cursor.js";

const at = (second: number, nanos: number): string =>
  `2026-01-01T00:00:${String(second).padStart(2, "0")}.${String(nanos).padStart(9, "0")}Z`;

describe("cursor of a log", () => {
  it("splits lines into time and text", () => {
    const cursor = createLogCursor();
    expect(cursor.take(`${at(1, 5)} two words`)).toEqual({ time: at(1, 5), text: "two words" });
    expect(cursor.take(`${at(1, 6)} `)).toEqual({ time: at(1, 6), text: "" });
    expect(cursor.take(at(1, 7))).toEqual({ time: at(1, 7), text: "" });
    expect(cursor.take("the rest of a long line")).toEqual({ time: at(1, 7), text: "the rest of a long line" });
    expect(cursor.sinceTime).toBe(at(1, 7));
  });

  it.each([
    ["without a fraction", "2026-01-01T00:00:01Z", "2026-01-01T00:00:01.1Z"],
    ["with trailing zeros", "2026-01-01T00:00:01.100Z", "2026-01-01T00:00:01.10000001Z"],
    ["in another zone", "2026-01-01T00:00:01Z", "2026-01-01T02:00:02+02:00"],
  ])("compares a time %s", (_what, earlier, later) => {
    const cursor = createLogCursor();
    cursor.take(`${later} seen`);
    cursor.resume();
    expect(cursor.take(`${earlier} repeated`)).toBeUndefined();
    expect(cursor.take("the rest of the repeated line")).toBeUndefined();
    expect(cursor.take(`${later} seen`)).toBeUndefined();
    expect(cursor.take(`${later} new at the same time`)?.text).toBe("new at the same time");
  });

  it("takes a line from before the newest one if the stream didn't break", () => {
    const cursor = createLogCursor();
    cursor.take(`${at(2, 0)} stdout`);
    expect(cursor.take(`${at(1, 0)} stderr, which was written earlier`)).toBeDefined();
    expect(cursor.sinceTime).toBe(at(2, 0));
  });

  it("neither loses nor repeats a line over streams that break anywhere, in 300 seeded logs", () => {
    for (let seed = 1; seed <= 300; seed++) {
      let state = seed;
      const random = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) % below;
      };
      let [second, nanos] = [0, 0];
      const log = Array.from({ length: 1 + random(40) }, (_, index) => {
        // Several lines of the same time are likely, and so are several in one second.
        if (random(3) > 0) nanos += random(2) * (1 + random(1_000));
        if (random(6) === 0) [second, nanos] = [second + 1, 0];
        return { second, line: `${at(second, nanos)} line ${index}` };
      });
      const cursor = createLogCursor();
      const seen: string[] = [];
      let written = 0;
      while (written < log.length) {
        written = Math.min(log.length, written + random(8));
        // Servers only compare whole seconds.
        const since = cursor.sinceTime === undefined ? 0 : Math.floor(Number(cursor.sinceTime.slice(17, 19)));
        const response = log.slice(0, written).filter((each) => each.second >= since);
        cursor.resume();
        const cut = random(2) === 0 ? response.length : random(response.length + 1);
        for (const { line } of response.slice(0, cut)) {
          const entry = cursor.take(line);
          if (entry !== undefined) seen.push(`${entry.time} ${entry.text}`);
        }
        if (written === log.length && cut < response.length) written--;
      }
      expect(seen, `seed ${seed}`).toEqual(log.map(({ line }) => line));
    }
  });
});
