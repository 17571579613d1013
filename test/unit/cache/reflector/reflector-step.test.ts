import { describe, expect, it } from "vitest";
import type { ReflectorOptions } from "../../../../src/cache/reflector/reflector-config.js";
import { reflectorConfig } from "../../../../src/cache/reflector/reflector-config.js";
import type { ReflectorEvent, ReflectorInput } from "../../../../src/cache/reflector/reflector-event.js";
import { initialReflectorState } from "../../../../src/cache/reflector/reflector-state.js";
import { stepReflector } from "../../../../src/cache/reflector/reflector-step.js";
import type { ReflectorTransition } from "../../../../src/cache/reflector/reflector-transition.js";
import { objectKey } from "../../../../src/cache/store/object-key.js";
import { ProtocolError, TransportError } from "../../../../src/errors/errors.js";
import type { Thing } from "../../../support/scripted-source.js";
import { describeList, describeWatch, event, failure, thing } from "../../../support/scripted-source.js";

const expired = (): Error => failure(410, "Expired");
const gone = (): Error => failure(410, "Gone");
const tooLarge = (): Error => failure(504, "Timeout", { cause: "ResourceVersionTooLarge" });
const tooLargeOld = (): Error => failure(504, "Timeout", { cause: "" });
const refusedConnection = (): Error => new TransportError("refused", { code: "ECONNREFUSED" });
const reset = (): Error => new TransportError("reset", { code: "ECONNRESET" });

type Row = [
  input:
    | string
    | Error
    | { page: string[]; rv?: string; continue?: string }
    | { together: string[] }
    | { wait: number }
    | { broken: number },
  ...expected: string[],
];

const list: ReflectorOptions = { initialList: "list" };

/**
 * Plays inputs in order; each row states the expected outputs. Numbers in a row are milliseconds to wait. A server
 * accepts a watch at once, unless the next row is `unanswered` or `broken`, which happens after so many milliseconds.
 */
function play(options: ReflectorOptions, rows: readonly Row[], random = 0): void {
  const config = reflectorConfig(options);
  let state = initialReflectorState;
  let now = 0;
  for (const [index, [input, ...expected]] of rows.entries()) {
    if (state.phase === "opening" && input !== "unanswered" && !(typeof input === "object" && "broken" in input))
      state = stepReflector<Thing>(state, { type: "opened" }, { config, now, random: () => random }).state;
    if (typeof input === "object" && "wait" in input) {
      now += input.wait;
      continue;
    }
    if (input === "unanswered" && state.phase === "opening") now = state.deadlineAt;
    if (typeof input === "object" && "broken" in input) now += input.broken;
    if (input === "elapsed") now = Math.max(now, state.phase === "waiting" ? state.failure.until : now);
    const transition: ReflectorTransition<Thing> = stepReflector(state, toInput(input), {
      config,
      now,
      random: () => random,
    });
    state = transition.state;
    expect({ row: index, input: String(input), follows: describeTransition(transition) }).toEqual({
      row: index,
      input: String(input),
      follows: expected,
    });
  }
}

function toInput(input: Exclude<Row[0], { wait: number }>): ReflectorInput<Thing> {
  if (input instanceof Error) return { type: "failed", error: input };
  if (typeof input === "object" && "broken" in input) return { type: "failed", error: reset() };
  if (typeof input === "object" && "together" in input) return { type: "initial", objects: input.together.map(thing) };
  if (typeof input === "object") {
    return {
      type: "slice",
      items: input.page.map(thing),
      metadata: {
        ...(input.rv === undefined ? {} : { resourceVersion: input.rv }),
        ...(input.continue === undefined ? {} : { continue: input.continue }),
      },
    };
  }
  if (input === "start" || input === "ended" || input === "silent" || input === "elapsed") return { type: input };
  if (input === "unanswered") return { type: "silent" };
  return { type: "event", event: event(input) };
}

function describeTransition({ events, action }: ReflectorTransition<Thing>): string[] {
  const said = events.map((entry: ReflectorEvent<Thing>) => {
    if (entry.type === "initApply") return `initApply ${entry.objects.map(objectKey).join(",")}`;
    if ("object" in entry) return `${entry.type} ${objectKey(entry.object)}`;
    return "resourceVersion" in entry ? `${entry.type} ${entry.resourceVersion}` : entry.type;
  });
  if (action?.type === "list") said.push(describeList(action.options));
  if (action?.type === "watch") said.push(describeWatch(action.options));
  if (action?.type === "wait") said.push(`wait ${String(action.delayMs)}`);
  return said;
}

/** A list that is complete at version 10, and its watch. */
const listed: Row[] = [
  ["start", "init", "list limit=500"],
  [{ page: ["a@1", "b@2"], rv: "10" }, "initApply a,b", "initDone 10", "watch rv=10"],
];
/** The same, with a watch that has been open for a while. */
const live: Row[] = [...listed, [{ wait: 5_000 }], ["~a@11", "apply a"]];

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

it("reflector draws a new timeout for every watch", () => {
  const config = reflectorConfig(list);
  const of = (random: number): unknown => {
    const first = stepReflector(initialReflectorState, { type: "start" }, { config, now: 0, random: () => random });
    const second = stepReflector<Thing>(
      first.state,
      { type: "slice", items: [], metadata: { resourceVersion: "1" } },
      { config, now: 0, random: () => random },
    );
    return second.action?.type === "watch" ? second.action.options.timeoutSeconds : undefined;
  };
  expect([of(0), of(0.5), of(0.999)]).toEqual([300, 450, 599]);
});
it("reflector disables the client's retries", () => {
  const first = stepReflector(
    initialReflectorState,
    { type: "start" },
    { config: reflectorConfig({}), now: 0, random: () => 0 },
  );
  expect(first.action).toMatchObject({ options: { retry: false } });
});
it.each([
  [{ pageSize: 0 }, "pageSize"],
  [{ idleTimeoutMs: -1 }, "idleTimeoutMs"],
  [{ watchTimeoutSeconds: { min: 10, max: 5 } }, "watchTimeoutSeconds"],
])("reflectorConfig rejects %j", (options, name) => expect(() => reflectorConfig(options)).toThrow(name));
