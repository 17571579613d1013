import { describe, expect, it } from "vitest";
import { TransportError } from "../../../src/errors/errors.js";
import type { Answer } from "../client/scripted-transport.js";
import {
  endingWatch,
  line,
  list,
  map,
  quiet,
  refusal,
  status,
  useScriptedInformer,
  watch,
} from "./scripted-informer.js";

const wire = useScriptedInformer();
const { begin, names, requests } = wire;

describe("an expired version causes an immediate relist", () => {
  const forms: [string, Answer][] = [
    ["reason Expired", refusal(410, "Expired")],
    ["reason Gone", refusal(410, "Gone")],
    ["a pretty-printed Status", { status: 410, body: JSON.stringify(status(410, "Expired"), undefined, 2) }],
    [
      "an HTML page",
      { status: 410, headers: { "content-type": "text/html" }, body: "<html>\n<body>\nGone\n</body>\n</html>\n" },
    ],
    ["an empty body", { status: 410, headers: { "content-type": "text/plain" }, body: "" }],
    ["reason Expired with code 500", { status: 500, body: status(500, "Expired") }],
  ];
  it.each(forms)("when a watch is opened: %s", async (_name, answer) => {
    await begin([list("10", ["a"]), answer, list("20", ["b"]), quiet]);
    expect([requests(), names()]).toEqual([["list", "watch from 10", "list from 10", "watch from 20"], "b"]);
  });
  it.each(forms)("when it is listed, this time from the latest state: %s", async (_name, answer) => {
    await begin([list("10", ["a"]), refusal(410, "Expired"), answer, list("20", ["b"]), quiet]);
    expect([requests(), names()]).toEqual([["list", "watch from 10", "list from 10", "list", "watch from 20"], "b"]);
  });
  it.each(forms)("for a continue token: %s", async (_name, answer) => {
    await begin([list("10", ["a"], "t1"), answer, list("20", ["b"]), quiet]);
    expect([requests(), names()]).toEqual([["list", "page t1", "list", "watch from 20"], "b"]);
  });
  it.each<[string, object]>([
    ["reason Expired", status(410, "Expired")],
    ["reason Gone", status(410, "Gone")],
    ["reason Expired without a code", status(0, "Expired")],
  ])("as an ERROR event of a watch: %s", async (_name, object) => {
    await begin([
      list("10", ["a"]),
      watch(line("MODIFIED", map("a", "12")), line("ERROR", object)),
      list("20", ["b"]),
      quiet,
    ]);
    expect([requests(), names()]).toEqual([["list", "watch from 10", "list from 12", "watch from 20"], "b"]);
  });
});

describe("a version in the server's future causes an immediate list of the latest state", () => {
  const causes = {
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  };
  it.each<[string, object]>([
    ["with a cause in the Status", status(504, "Timeout", causes)],
    [
      "with the message of old servers",
      status(504, "Timeout", {
        message: "Too large resource version: 99, current: 7",
        details: { causes: [{ message: "Too large resource version" }] },
      }),
    ],
  ])("%s", async (_name, object) => {
    await begin([list("10", ["a"]), watch(line("ERROR", object)), list("5", ["b"]), quiet]);
    expect([requests(), names()]).toEqual([["list", "watch from 10", "list", "watch from 5"], "b"]);
    expect(wire.informer.store.resourceVersion).toBe("5");
  });
});

describe("malformed responses", () => {
  const html: Answer = { headers: { "content-type": "text/html" }, body: "<html>sign in</html>" };
  it.each<[string, Answer[], string[], string]>([
    ["an HTML page for a list", [html], ["list"], "protocol"],
    ["an object of another kind for a list", [{ body: map("a", "1") }], ["list"], "protocol"],
    [
      "a Table for a list",
      [
        {
          body: {
            kind: "Table",
            apiVersion: "meta.k8s.io/v1",
            metadata: { resourceVersion: "3" },
            columnDefinitions: [],
            rows: [],
          },
        },
      ],
      ["list"],
      "protocol",
    ],
    [
      "a list without a resourceVersion",
      [{ body: { kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items: [] } }],
      ["list"],
      "protocol",
    ],
    ["an HTML page for a watch", [list("10", ["a"]), html], ["list", "watch from 10"], "protocol"],
    [
      "a malformed frame",
      [list("10", ["a"]), watch(line("ADDED", map("b", "11")), "{oops}\n", line("ADDED", map("c", "12")))],
      ["list", "watch from 10"],
      "protocol",
    ],
    [
      "the server sent an ERROR event without a Status",
      [list("10", ["a"]), watch(line("ERROR", map("b", "11")))],
      ["list", "watch from 10"],
      "protocol",
    ],
    [
      "an object of another kind in a watch",
      [list("10", ["a"]), watch(line("ADDED", { ...map("b", "11"), kind: "Secret" }))],
      ["list", "watch from 10"],
      "protocol",
    ],
    [
      "a list whose connection breaks",
      [
        {
          body: [
            '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":[',
            new TransportError("reset", { code: "ECONNRESET" }),
          ],
        },
      ],
      ["list"],
      "transport",
    ],
    [
      "a truncated list",
      [{ body: ['{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":['] }],
      ["list"],
      "protocol",
    ],
  ])("are classified and retried: %s", async (_name, answers, sent, kind) => {
    await begin([...answers, list("20", ["z"]), quiet]);
    expect([requests(), wire.informer.status]).toEqual([
      sent,
      expect.objectContaining({ type: "backingOff", kind, delayMs: 800 }),
    ]);
    await wire.clock.advance(800);
    const version = String(wire.informer.store.resourceVersion);
    const probed = sent.length > 1;
    expect(requests().slice(sent.length)).toEqual([probed ? `list from ${version}` : "list", `watch from ${version}`]);
    expect(wire.informer.status.type).toBe("watching");
  });
  it("a resumed watch delivers the events that followed a malformed frame", async () => {
    await begin([
      list("10", ["a"]),
      watch(line("ADDED", map("b", "11")), "{oops}\n", line("ADDED", map("c", "12"))),
      list("11", ["a"]),
      watch(line("ADDED", map("c", "12"))),
    ]);
    await wire.clock.advance(800);
    expect([requests().slice(-2), names()]).toEqual([["list from 11", "watch from 11"], "a,b,c"]);
  });
  it("an event of unknown type is skipped and the watch continues", async () => {
    await begin([list("10", ["a"]), watch(line("SOMETHING", map("b", "11")), line("ADDED", map("c", "12")))]);
    expect([requests().length, names(), wire.informer.status]).toEqual([
      2,
      "a,c",
      { type: "watching", resourceVersion: "12" },
    ]);
  });
  it("a character split across two pieces is decoded correctly", async () => {
    const bytes = new TextEncoder().encode(line("ADDED", { ...map("b", "11"), data: { text: "größe 日本語" } }));
    await begin([list("10", []), watch(...Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)))]);
    expect(wire.informer.store.get("x/b")?.data).toEqual({ text: "größe 日本語" });
  });
});

describe("a watch", () => {
  it("sends a timeout and requests bookmarks; a list does neither", async () => {
    await begin([list("10", []), quiet]);
    const [first, second] = wire.transport.requests.map(({ path }) => new URLSearchParams(path.split("?")[1]));
    expect([[...first!.keys()], [...second!.keys()].sort()]).toEqual([
      ["limit"],
      ["allowWatchBookmarks", "resourceVersion", "timeoutSeconds", "watch"],
    ]);
  });
  it("requests no bookmarks if the option bookmarks is false", async () => {
    await begin([list("10", []), quiet], { bookmarks: false });
    const [, second] = wire.transport.requests.map(({ path }) => new URLSearchParams(path.split("?")[1]));
    expect(second!.get("allowWatchBookmarks")).not.toBe("true");
  });
  it("after a streaming list doesn't request the initial events again", async () => {
    const end = {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { resourceVersion: "10", annotations: { "k8s.io/initial-events-end": "true" } },
    };
    await begin([watch(line("ADDED", map("a", "9")), line("BOOKMARK", end)), list("10", ["a"]), quiet], {
      initialList: "auto",
      idleTimeoutMs: 2_000,
    });
    expect([names(), requests()]).toEqual(["a", ["stream"]]);
    await wire.clock.advance(2_000);
    expect(requests()).toEqual(["stream", "list from 10", "watch from 10"]);
  });
  it("resumes from the newest bookmark after a clean end, also with a field selector", async () => {
    const bookmark = { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "40" } };
    await begin([list("10", ["a"]), endingWatch(line("ADDED", map("b", "11")), line("BOOKMARK", bookmark)), quiet], {
      fieldSelector: "metadata.name=a",
    });
    expect(requests()).toEqual(["list", "watch from 10", "watch from 40"]);
    for (const { path } of wire.transport.requests) expect(path).toContain("fieldSelector=metadata.name%3Da");
  });
});
