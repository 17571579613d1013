import { describe, it } from "vitest";
import type { ReflectorOptions } from "../../../../src/cache/reflector/reflector-config.js";
import { failure } from "../../../support/scripted-source.js";
import type { Row } from "./play-reflector.js";
import { list, listed, live, play, refusedConnection } from "./play-reflector.js";

describe("reflector backoff", () => {
  it("grows to a limit, with jitter", () => {
    const error = failure(500, "InternalError");
    const rows: Row[] = [["start", "init", "list limit=500"]];
    for (const delay of [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000])
      rows.push([error, `wait ${String(delay)}`], ["elapsed", "init", "list limit=500"]);
    play(list, rows);
    play(
      list,
      [
        ["start", "init", "list limit=500"],
        [error, "wait 1200"],
        ["elapsed", "init", "list limit=500"],
        [error, "wait 2400"],
      ],
      0.5,
    );
  });
  it("honors Retry-After, with jitter and up to a limit", () => {
    play(list, [
      ["start", "init", "list limit=500"],
      [failure(429, "TooManyRequests", { retryAfterSeconds: 7 }), "wait 7000"],
    ]);
    play(
      list,
      [
        ["start", "init", "list limit=500"],
        [failure(503, "", { retryAfterSeconds: 8 }), "wait 9000"],
      ],
      0.5,
    );
    play({ ...list, retryAfterCapMs: 60_000 }, [
      ["start", "init", "list limit=500"],
      [failure(503, "", { retryAfterSeconds: 86_400 }), "wait 60000"],
    ]);
  });
  it("is reset by signs of health, not by time", () => {
    const error = failure(500, "InternalError");
    play(list, [
      ...listed,
      [error, "wait 800"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
      [{ page: [], rv: "10" }, "watch rv=10"],
      [{ wait: 60_000 }],
      [error, "wait 1600"],
      ["elapsed", "init", "list rv=10 match=NotOlderThan"],
      [{ page: [], rv: "12" }, "initDone 12", "watch rv=12"],
      [{ wait: 1_000 }],
      ["=13", "bookmark 13"],
      [error, "wait 800"],
      ["elapsed", "list limit=1 rv=13 match=NotOlderThan"],
      [{ page: [], rv: "13" }, "watch rv=13"],
      [{ wait: 120_000 }],
      [error, "wait 800"],
    ]);
  });
  it("follows the options", () => {
    const waits: ReflectorOptions = {
      ...list,
      backoff: { initialMs: 10, factor: 3, capMs: 50, jitter: 0.5 },
      refusedBackoff: { initialMs: 7, factor: 2, capMs: 10, jitter: 0 },
    };
    const [error, no] = [failure(500, "InternalError"), failure(403, "Forbidden")];
    const again: Row = ["elapsed", "init", "list limit=500"];
    play(waits, [
      ["start", "init", "list limit=500"],
      [error, "wait 10"],
      again,
      [error, "wait 30"],
      again,
      [error, "wait 50"],
      again,
      [no, "wait 7"],
      again,
      [no, "wait 10"],
      again,
      [no, "wait 10"],
    ]);
    play(waits, [["start", "init", "list limit=500"], [error, "wait 12.5"], again, [no, "wait 7"]], 0.5);
  });
  it("counts failures of lists and watches together", () => {
    const [busy, refused] = [failure(503, "ServiceUnavailable"), refusedConnection()];
    play(list, [
      ...listed,
      [refused, "wait 800"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
      [busy, "wait 1600"],
      ["elapsed", "init", "list rv=10 match=NotOlderThan"],
      [refused, "wait 3200"],
      ["elapsed", "init", "list rv=10 match=NotOlderThan"],
      [{ page: [], rv: "12" }, "initDone 12", "watch rv=12"],
      [failure(429, "TooManyRequests"), "wait 6400"],
      ["elapsed", "watch rv=12"],
      [{ wait: 1_000 }],
      ["=13", "bookmark 13"],
      [failure(429, "TooManyRequests"), "wait 800"],
    ]);
  });
  it.each([
    ["401", failure(401, "Unauthorized")],
    ["403", failure(403, "Forbidden")],
    ["404", failure(404, "NotFound")],
  ])("turns into slow probes after %s", (_name, error) => {
    play(list, [
      ["start", "init", "list limit=500"],
      [error, "wait 1000"],
      ["elapsed", "init", "list limit=500"],
      [error, "wait 3000"],
      ["elapsed", "init", "list limit=500"],
      [error, "wait 9000"],
      ["elapsed", "init", "list limit=500"],
      [error, "wait 27000"],
      ["elapsed", "init", "list limit=500"],
      [error, "wait 60000"],
    ]);
  });
  it("probes the watch after 401 and 403, and the list after 404", () => {
    play(list, [
      ...live,
      [failure(403, "Forbidden"), "wait 1000"],
      ["elapsed", "watch rv=11"],
      [failure(404, "NotFound"), "wait 3000"],
      ["elapsed", "init", "list rv=11 match=NotOlderThan"],
    ]);
  });
});
