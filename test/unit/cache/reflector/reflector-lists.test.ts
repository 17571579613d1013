import { describe, it } from "vitest";
import { failure } from "../../../support/scripted-source.js";
import type { Row } from "./play-reflector.js";
import { expired, gone, list, listed, live, play, reset, tooLarge, tooLargeOld } from "./play-reflector.js";

describe("reflector lists", () => {
  it("request page after page, and the watch starts at the version of the first page", () => {
    play(list, [
      ["start", "init", "list limit=500"],
      [{ page: ["a@1"], rv: "10", continue: "t1" }, "initApply a", "list limit=500 continue=t1"],
      [{ page: ["b@1"], rv: "12", continue: "t2" }, "initApply b", "list limit=500 continue=t2"],
      [{ page: ["c@1"], rv: "13" }, "initApply c", "initDone 10", "watch rv=10"],
    ]);
  });
  it("are complete when empty", () =>
    play(list, [
      ["start", "init", "list limit=500"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
    ]));
  it("may start from the server's cache", () => {
    play({ ...list, initialConsistency: "any" }, [
      ["start", "init", "list limit=500 rv=0"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
    ]);
  });
  it("fail without a resourceVersion", () =>
    play(list, [
      ["start", "init", "list limit=500"],
      [{ page: ["a@1"] }, "wait 800"],
    ]));
  it("fail without a complete response", () =>
    play(list, [
      ["start", "init", "list limit=500"],
      ["ended", "wait 800"],
    ]));
  it("resume at the page that failed", () => {
    play(list, [
      ["start", "init", "list limit=500"],
      [{ page: ["a@1"], rv: "10", continue: "t1" }, "initApply a", "list limit=500 continue=t1"],
      [failure(503, "ServiceUnavailable"), "wait 800"],
      ["elapsed", "list limit=500 continue=t1"],
      [reset(), "wait 1600"],
      ["elapsed", "list limit=500 continue=t1"],
      [{ page: ["b@1"], rv: "10" }, "initApply b", "initDone 10", "watch rv=10"],
    ]);
  });
  it("pause between pages once more than ten in a row were empty", () => {
    const empty = (n: number): Row => [
      { page: [], rv: "10", continue: `t${String(n)}` },
      `list limit=500 continue=t${String(n)}`,
    ];
    const paused = (n: number, delayMs: number): Row[] => [
      [{ page: [], rv: "10", continue: `t${String(n)}` }, `wait ${String(delayMs)}`],
      ["elapsed", `list limit=500 continue=t${String(n)}`],
    ];
    play(list, [
      ["start", "init", "list limit=500"],
      ...Array.from({ length: 10 }, (_, n) => empty(n + 1)),
      ...paused(11, 800),
      ...paused(12, 1_600),
      [{ page: ["a@1"], rv: "10", continue: "t13" }, "initApply a", "list limit=500 continue=t13"],
      ...Array.from({ length: 10 }, (_, n) => empty(n + 14)),
      ...paused(24, 800),
      [{ page: [], rv: "10" }, "initDone 10", "watch rv=10"],
    ]);
  });

  it("start over with backoff if a page comes with the continue token that requested it", () => {
    play(list, [
      ["start", "init", "list limit=500"],
      [{ page: ["a@1"], rv: "10", continue: "t1" }, "initApply a", "list limit=500 continue=t1"],
      [{ page: ["a@1"], rv: "10", continue: "t1" }, "wait 800"],
      ["elapsed", "init", "list limit=500"],
      [{ page: ["a@1"], rv: "10", continue: "t2" }, "initApply a", "list limit=500 continue=t2"],
      [{ page: ["b@1"], rv: "10", continue: "t2" }, "wait 1600"],
    ]);
  });

  it("restart immediately when a continue token expired, then more slowly, then without pages", () => {
    play(list, [
      ["start", "init", "list limit=500"],
      [{ page: ["a@1"], rv: "10", continue: "t1" }, "initApply a", "list limit=500 continue=t1"],
      [failure(410, "Expired", { continue: "inconsistent" }), "init", "list limit=500"],
      [{ page: ["a@1"], rv: "20", continue: "t2" }, "initApply a", "list limit=500 continue=t2"],
      [expired(), "init", "list"],
      [expired(), "wait 800"],
      ["elapsed", "init", "list"],
    ]);
  });
  it("are abandoned after silence", () =>
    play(list, [
      ["start", "init", "list limit=500"],
      [{ wait: 90_000 }],
      ["silent", "wait 800"],
      ["elapsed", "init", "list limit=500"],
    ]));
});

describe("reflector relists", () => {
  it("request the newest known version, without pages", () =>
    play(list, [...live, [expired(), "init", "list rv=11 match=NotOlderThan"]]));
  it("use pageSize if it was set", () => {
    play({ ...list, pageSize: 100 }, [
      ["start", "init", "list limit=100"],
      [{ page: [], rv: "10" }, "initDone 10", "watch rv=10"],
      [expired(), "init", "list limit=100 rv=10 match=NotOlderThan"],
    ]);
  });
  it("are paged if the server has no watch cache", () => {
    play({ ...list, initialConsistency: "any" }, [
      ["start", "init", "list limit=500 rv=0"],
      [{ page: ["a@1"], rv: "10", continue: "t" }, "initApply a", "list limit=500 continue=t"],
      [{ page: [], rv: "10" }, "initDone 10", "watch rv=10"],
      [expired(), "init", "list limit=500 rv=10 match=NotOlderThan"],
    ]);
  });
  it.each([
    ["Expired", expired],
    ["Gone", gone],
    ["too large", tooLarge],
    ["too large with the message of old servers", tooLargeOld],
  ])("request the latest state after %s", (_name, error) => {
    play(list, [
      ...live,
      [expired(), "init", "list rv=11 match=NotOlderThan"],
      [error(), "init", "list limit=500"],
      [{ page: [], rv: "20" }, "initDone 20", "watch rv=20"],
    ]);
  });
  it("may request a version again after a complete list", () => {
    play(list, [
      ...live,
      [tooLarge(), "init", "list limit=500"],
      [{ page: [], rv: "5" }, "initDone 5", "watch rv=5"],
      [{ wait: 2_000 }],
      ["+c@6", "apply c"],
      [expired(), "init", "list rv=6 match=NotOlderThan"],
    ]);
  });
  it("back off when versions expire repeatedly", () => {
    play(list, [
      ...listed,
      [gone(), "init", "list rv=10 match=NotOlderThan"],
      [{ page: [], rv: "12" }, "initDone 12", "watch rv=12"],
      [gone(), "init", "list rv=12 match=NotOlderThan"],
      [{ page: [], rv: "13" }, "initDone 13", "watch rv=13"],
      [gone(), "wait 800"],
      ["elapsed", "init", "list rv=13 match=NotOlderThan"],
      [{ page: [], rv: "14" }, "initDone 14", "watch rv=14"],
      ["+x@15", "apply x"],
      [gone(), "wait 1600"],
    ]);
  });
});
