import { describe, it } from "vitest";
import { ProtocolError } from "../../../../src/errors/errors.js";
import { failure } from "../../../support/scripted-source.js";
import type { Row } from "./play-reflector.js";
import { expired, list, listed, live, play, refusedConnection, reset, tooLarge } from "./play-reflector.js";

describe("reflector watches", () => {
  it("track the version of every event and bookmark", () => {
    play(list, [
      ...listed,
      ["+c@11", "apply c"],
      ["-a@12", "delete a"],
      ["=40", "bookmark 40"],
      [{ wait: 2_000 }],
      ["ended", "watch rv=40"],
    ]);
  });
  it("that delivered an event out of order are followed by a list, once", () =>
    play(list, [
      ...listed,
      ["+c@30", "apply c"],
      ["~d@9", "apply d"],
      ["~c@31", "apply c"],
      [{ wait: 2_000 }],
      ["ended", "init", "list limit=500"],
      [{ page: ["c", "d"], rv: "31" }, "initApply c,d", "initDone 31", "watch rv=31"],
      [{ wait: 2_000 }],
      ["ended", "watch rv=31"],
    ]));
  it("are reopened immediately after a clean end", () =>
    play(list, [...listed, [{ wait: 300_000 }], ["ended", "watch rv=10"]]));
  it("that end at once without events count as failures, then lead to a list", () => {
    play(list, [
      ...listed,
      ["ended", "wait 800"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
      [{ page: [], rv: "10" }, "watch rv=10"],
      ["ended", "wait 1600"],
      ["elapsed", "init", "list rv=10 match=NotOlderThan"],
    ]);
  });
  it("that end shortly after an event, repeatedly, back off", () => {
    play(list, [
      ...listed,
      ["+c@11", "apply c"],
      ["ended", "watch rv=11"],
      ["+d@12", "apply d"],
      ["ended", "wait 800"],
      ["elapsed", "watch rv=12"],
      ["=13", "bookmark 13"],
      ["ended", "wait 1600"],
      ["elapsed", "watch rv=13"],
      [{ wait: 2_000 }],
      ["ended", "watch rv=13"],
    ]);
  });
  it("resume where they were when the connection breaks, after a probe", () => {
    play(list, [
      ...live,
      [reset(), "list limit=1 rv=11 match=NotOlderThan"],
      [{ page: ["a@1"], rv: "12", continue: "t" }, "watch rv=11"],
      [reset(), "wait 800"],
      ["elapsed", "list limit=1 rv=11 match=NotOlderThan"],
      [refusedConnection(), "wait 1600"],
      ["elapsed", "list limit=1 rv=11 match=NotOlderThan"],
      [{ page: ["a@1"], rv: "11", continue: "t" }, "watch rv=11"],
      [{ wait: 2_000 }],
      ["ended", "watch rv=11"],
    ]);
  });
  it("probe an unreachable server first, and lists again if it came back with an older state", () => {
    const back: Row[] = [
      ...live,
      ["ended", "watch rv=11"],
      [refusedConnection(), "wait 800"],
      ["elapsed", "list limit=1 rv=11 match=NotOlderThan"],
    ];
    play(list, [
      ...back,
      [tooLarge(), "init", "list limit=500"],
      [{ page: ["a@1"], rv: "5" }, "initApply a", "initDone 5", "watch rv=5"],
    ]);
    play(list, [...back, [{ page: ["a@1"], rv: "5" }, "init", "list limit=500"]]);
    play(list, [...back, [{ page: ["a@1"], rv: "12" }, "watch rv=11"]]);
  });
  it("never lead to a list after 429", () => {
    const error = failure(429, "TooManyRequests");
    play(list, [
      ...live,
      [error, "wait 800"],
      ["elapsed", "watch rv=11"],
      [error, "wait 1600"],
      ["elapsed", "watch rv=11"],
      [error, "wait 3200"],
      ["elapsed", "watch rv=11"],
    ]);
  });
  it("never lead to a complete list after refused connections", () => {
    const error = refusedConnection();
    play(list, [
      ...listed,
      [error, "wait 800"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
      [error, "wait 1600"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
      [error, "wait 3200"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
    ]);
  });
  it.each([
    ["500", failure(500, "InternalError")],
    ["503", failure(503, "ServiceUnavailable")],
    ["504 without a cause", failure(504, "Timeout")],
    ["a malformed frame", new ProtocolError("bad frame")],
  ])("are retried once after %s, then a list is made", (_name, error) => {
    play(list, [
      ...live,
      [error, "wait 800"],
      ["elapsed", "list limit=1 rv=11 match=NotOlderThan"],
      [{ page: ["a@1"], rv: "11" }, "watch rv=11"],
      [error, "wait 1600"],
      ["elapsed", "init", "list rv=11 match=NotOlderThan"],
    ]);
  });
  it("are reopened after silence, after a probe", () =>
    play(list, [
      ...live,
      [{ wait: 600_000 }],
      ["silent", "list limit=1 rv=11 match=NotOlderThan"],
      [{ page: ["a@1"], rv: "11" }, "watch rv=11"],
      [{ wait: 600_000 }],
      ["ended", "watch rv=11"],
    ]));
  it("that the server doesn't answer are requested again after a pause and a probe, then it lists", () =>
    play(list, [
      ...listed,
      ["unanswered", "wait 800"],
      ["elapsed", "list limit=1 rv=10 match=NotOlderThan"],
      [{ page: ["a@1"], rv: "10" }, "watch rv=10"],
      ["unanswered", "wait 1600"],
      ["elapsed", "init", "list rv=10 match=NotOlderThan"],
      [{ page: ["a@1"], rv: "10" }, "initApply a", "initDone 10", "watch rv=10"],
      ["~a@11", "apply a"],
    ]));
  it("that break after a while without an answer count as failures", () =>
    play(list, [...listed, [{ broken: 30_000 }, "wait 800"], ["elapsed", "list limit=1 rv=10 match=NotOlderThan"]]));
  it("that bring nothing twice lead to a probe whether the server still knows the version", () => {
    const quiet: Row[] = [
      ...live,
      [{ wait: 300_000 }],
      ["ended", "watch rv=11"],
      [{ wait: 300_000 }],
      ["ended", "watch rv=11"],
      [{ wait: 300_000 }],
      ["ended", "list limit=1 rv=11 match=NotOlderThan"],
    ];
    play(list, [
      ...quiet,
      [{ page: ["z@3"], rv: "12", continue: "t" }, "watch rv=11"],
      [{ wait: 300_000 }],
      ["ended", "watch rv=11"],
    ]);
    play(list, [...quiet, [tooLarge(), "init", "list limit=500"]]);
    play(list, [...quiet, [expired(), "init", "list rv=11 match=NotOlderThan"]]);
    const again: Row = ["elapsed", "list limit=1 rv=11 match=NotOlderThan"];
    play(list, [...quiet, [failure(503, "ServiceUnavailable"), "wait 800"], again]);
    play(list, [...quiet, [{ wait: 90_000 }], ["silent", "wait 800"], again]);
  });
});
