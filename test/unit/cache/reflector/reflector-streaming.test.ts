import { describe, expect, it } from "vitest";
import { reflectorConfig } from "../../../../src/cache/reflector/reflector-config.js";
import { initialReflectorState } from "../../../../src/cache/reflector/reflector-state.js";
import { stepReflector } from "../../../../src/cache/reflector/reflector-step.js";
import { ProtocolError } from "../../../../src/errors/errors.js";
import type { Thing } from "../../../support/scripted-source.js";
import { event, failure, thing } from "../../../support/scripted-source.js";
import type { Row } from "./play-reflector.js";
import {
  describeTransition,
  expired,
  gone,
  list,
  play,
  refusedConnection,
  reset,
  toInput,
  tooLarge,
  tooLargeOld,
} from "./play-reflector.js";

describe("reflector streaming lists", () => {
  const opened: Row[] = [["start", "init", "stream"]];
  it("are complete at the end bookmark and continue as the watch", () => {
    play({}, [
      ...opened,
      ["+a@3", "initApply a"],
      ["=9"],
      ["-a@8", "initDelete a"],
      ["!10", "initDone 10"],
      ["+b@11", "apply b"],
      [{ wait: 2_000 }],
      ["ended", "watch rv=11"],
    ]);
  });
  it("process objects that arrived together in one step", () => {
    play({}, [
      ...opened,
      [{ together: ["a@3", "b@4"] }, "initApply a,b"],
      ["-a@8", "initDelete a"],
      [{ together: ["c@9"] }, "initApply c"],
      ["!10", "initDone 10"],
    ]);
  });
  it.each<[string, Row, number]>([
    ["extend the deadline for the end bookmark", ["+a@1", "initApply a"], 14_000],
    ["don't extend the deadline after a live event", ["~a@1", "initApply a"], 10_000],
  ])("with batched objects %s", (_name, first, deadline) => {
    const config = reflectorConfig({});
    const at = (now: number): Parameters<typeof stepReflector>[2] => ({ config, now, random: () => 0 });
    let { state } = stepReflector<Thing>(initialReflectorState, { type: "start" }, at(0));
    ({ state } = stepReflector(state, toInput(first[0] as string), at(0)));
    ({ state } = stepReflector<Thing>(state, { type: "initial", objects: [thing("b@2"), thing("c@2")] }, at(4_000)));
    expect(state).toMatchObject({ phase: "streaming", received: 3, progress: 3, deadlineAt: deadline });
  });
  it("resume from the end bookmark, not from earlier events", () =>
    play({}, [
      ...opened,
      ["+a@99", "initApply a"],
      ["!10", "initDone 10"],
      [{ wait: 2_000 }],
      ["ended", "watch rv=10"],
    ]));
  it("start from the newest version on a relist", () =>
    play({}, [
      ...opened,
      ["!10", "initDone 10"],
      [{ wait: 2_000 }],
      ["=12", "bookmark 12"],
      [expired(), "init", "stream rv=12"],
      [expired(), "init", "stream"],
    ]));
  it.each([
    ["422", failure(422, "Invalid")],
    ["400", failure(400, "BadRequest")],
    ["415", failure(415, "UnsupportedMediaType")],
    ["405", failure(405, "MethodNotAllowed")],
    ["406", failure(406, "NotAcceptable")],
    ["501", failure(501)],
  ])("fall back to a list immediately after %s, and remember it", (_name, error) => {
    play({}, [
      ...opened,
      [error, "init", "list limit=500"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
      [{ wait: 2_000 }],
      ["=4", "bookmark 4"],
      [expired(), "init", "list rv=4 match=NotOlderThan"],
      [{ page: [], rv: "5" }, "initDone 5", "watch rv=5"],
      [{ wait: 3_600_000 }],
      [expired(), "init", "stream rv=5"],
    ]);
  });
  it("fall back to a list if the end never comes, and remember it", () => {
    play({}, [
      ...opened,
      ["+a@3", "initApply a"],
      [{ wait: 10_000 }],
      ["silent", "init", "list limit=500"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
      [{ wait: 2_000 }],
      ["=4", "bookmark 4"],
      [expired(), "init", "list rv=4 match=NotOlderThan"],
    ]);
  });
  it("are tried three times if they end early, then a list is made", () => {
    play({}, [
      ...opened,
      ["ended", "wait 800"],
      ["elapsed", "init", "stream"],
      ["+a@1", "initApply a"],
      ["ended", "wait 1600"],
      ["elapsed", "init", "stream"],
      [reset(), "init", "list limit=500"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
    ]);
  });
  it.each<[string, () => Error]>([
    ["500", () => failure(500, "InternalError")],
    ["503", () => failure(503, "ServiceUnavailable")],
    ["refused connections", refusedConnection],
    ["malformed frames", () => new ProtocolError("bad frame")],
  ])("fall back to a list after %s three times", (_name, error) => {
    play({}, [
      ...opened,
      [error(), "wait 800"],
      ["elapsed", "init", "stream"],
      [error(), "wait 1600"],
      ["elapsed", "init", "stream"],
      [error(), "init", "list limit=500"],
    ]);
  });
  it("are tried as often as maxStreamingAttempts says", () => {
    play({ maxStreamingAttempts: 1 }, [...opened, ["ended", "init", "list limit=500"]]);
    play({ bookmarkDeadlineMs: 500, streamingRetryAfterMs: 1_000 }, [
      ...opened,
      [{ wait: 500 }],
      ["silent", "init", "list limit=500"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
      [{ wait: 1_000 }],
      ["=4", "bookmark 4"],
      [expired(), "init", "stream rv=4"],
    ]);
  });
  it("start without a version if theirs is too old or too new, without counting an attempt", () => {
    for (const error of [expired, gone, tooLarge, tooLargeOld]) {
      play({}, [
        ...opened,
        ["!10", "initDone 10"],
        [{ wait: 2_000 }],
        [gone(), "init", "stream rv=10"],
        [error(), "init", "stream"],
        ["!20", "initDone 20"],
      ]);
    }
  });
  it("require a version in the end bookmark", () => {
    const config = reflectorConfig({});
    const { state } = stepReflector<Thing>(
      initialReflectorState,
      { type: "start" },
      { config, now: 0, random: () => 0 },
    );
    const end = event("!9");
    delete (end.object.metadata as { resourceVersion?: string }).resourceVersion;
    expect(
      describeTransition(stepReflector(state, { type: "event", event: end }, { config, now: 0, random: () => 0 })),
    ).toEqual(["wait 800"]);
  });
  it("back off after 429 and retry without limit", () => {
    const error = failure(429, "TooManyRequests", { retryAfterSeconds: 1 });
    play({}, [
      ...opened,
      [error, "wait 1000"],
      ["elapsed", "init", "stream"],
      [error, "wait 1600"],
      ["elapsed", "init", "stream"],
      [error, "wait 3200"],
      ["elapsed", "init", "stream"],
    ]);
  });
  it("fall back to a list for users without the watch verb", () => {
    play({}, [
      ...opened,
      [failure(403, "Forbidden"), "init", "list limit=500"],
      [{ page: [], rv: "3" }, "initDone 3", "watch rv=3"],
      [failure(403, "Forbidden"), "wait 1000"],
    ]);
  });
  it("are the only method with initialList stream", () => {
    play({ initialList: "stream" }, [
      ...opened,
      [failure(422, "Invalid"), "wait 800"],
      ["elapsed", "init", "stream"],
      [{ wait: 10_000 }],
      ["silent", "wait 1600"],
      ["elapsed", "init", "stream"],
    ]);
  });
  it("aren't requested with initialList list", () => play(list, [["start", "init", "list limit=500"]]));
});
