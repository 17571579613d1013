import { afterEach, expect, it } from "vitest";
import { shareWatches } from "../../../src/proxy/shared-watches.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";
import { createRandom } from "../../simulation/random.js";
import { type AsyncQueue, createAsyncQueue } from "../../support/async-queue.js";
import { chooseSeed } from "../../support/seed.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

interface Upstream {
  readonly request: TransportRequest;
  readonly body: AsyncQueue<Uint8Array>;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = (version: number, more: object = {}): string =>
  `${JSON.stringify({ type: "MODIFIED", object: { kind: "Pod", metadata: { name: "a", resourceVersion: String(version) }, ...more } })}\n`;
const bookmark = (version: number): string =>
  `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: String(version), annotations: { "k8s.io/initial-events-end": "true" } } } })}\n`;

const opened: AbortController[] = [];
afterEach(async () => {
  for (const controller of opened.splice(0)) controller.abort(new Error("the test is over"));
  await settle();
});

/** A cluster whose watches the test feeds, in front of `shareWatches`. Users named `no…` may watch nothing. */
function scripted({ contentType = "application/json", status = 200 } = {}) {
  const watches: Upstream[] = [];
  const reviews: TransportRequest[] = [];
  const clock = createVirtualClock();
  const cluster: Transport = {
    async send(request) {
      const json = { get: (name: string) => (name === "content-type" ? contentType : null) };
      if (request.method === "POST") {
        reviews.push(request);
        const allowed = request.headers["impersonate-user"]?.startsWith("no") !== true;
        const body = (async function* () {
          yield encode(JSON.stringify({ status: { allowed } }));
        })();
        return { status: 201, headers: json, body };
      }
      const body = createAsyncQueue<Uint8Array>();
      request.signal.addEventListener("abort", () => body.end(new Error("aborted")), { once: true });
      watches.push({ request, body });
      return { status, headers: json, body };
    },
    close: () => Promise.resolve(),
  };
  const transport = shareWatches(cluster, clock);
  const open = (query: string, headers: Record<string, string> = {}, controller = new AbortController()) => {
    opened.push(controller);
    const { signal } = controller;
    const path = `/api/v1/namespaces/web/pods?watch=1&${query}`;
    return transport.send({ method: "GET", path, headers: { accept: "application/json", ...headers }, signal });
  };
  /** Opens a watch, and collects what it brings. */
  async function watch(query: string, user?: string, accept = "application/json") {
    const controller = new AbortController();
    const headers = { accept, ...(user !== undefined && { "impersonate-user": user }) };
    const response = await open(query, headers, controller);
    const reader = { text: "", outcome: undefined as unknown, response, leave: () => controller.abort(), versions };
    function versions(): number[] {
      const lines = reader.text.trim().split("\n").filter(Boolean);
      return lines.map((line) => Number(JSON.parse(line).object.metadata.resourceVersion));
    }
    (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body) reader.text += decoder.decode(chunk, { stream: true });
      reader.outcome = "end";
    })().catch((error: unknown) => (reader.outcome = error));
    await settle();
    return reader;
  }
  return { watches, reviews, clock, watch, open };
}

it("equal watches share one connection, and each begins after its own version", async () => {
  const { watches, watch } = scripted();
  const first = await watch("resourceVersion=10&timeoutSeconds=300");
  watches[0]!.body.push(encode(event(11) + event(12)));
  watches[0]!.body.push(encode(event(15).slice(0, 20)));
  await settle();
  const second = await watch("timeoutSeconds=500&resourceVersion=11");
  // Its list was newer than anything that the watch has brought.
  const ahead = await watch("resourceVersion=16");
  watches[0]!.body.push(encode(event(15).slice(20) + event(17)));
  await settle();
  expect(watches.length).toBe(1);
  expect([first, second, ahead].map((reader) => reader.versions())).toEqual([[11, 12, 15, 17], [12, 15, 17], [17]]);
  expect(second.text).toBe(first.text.slice(event(11).length));
  first.leave();
  second.leave();
  await settle();
  expect(watches[0]!.request.signal.aborted).toBe(false);
  ahead.leave();
  await settle();
  expect(watches[0]!.request.signal.aborted).toBe(true);
});

it.each([
  ["another path parameter", "resourceVersion=10&labelSelector=a%3Db", "application/json"],
  ["another media type", "resourceVersion=10", "application/json;as=Table;v=v1;g=meta.k8s.io"],
  ["Protobuf", "resourceVersion=10", "application/vnd.kubernetes.protobuf"],
  ["a version before the first event", "resourceVersion=9", "application/json"],
  ["no version", "", "application/json"],
  ["any version", "resourceVersion=0", "application/json"],
  ["a version that isn't a number", "resourceVersion=abc", "application/json"],
])("a watch with %s gets a connection of its own", async (_, query, accept) => {
  const { watches, watch } = scripted();
  await watch("resourceVersion=10");
  await watch(query, undefined, accept);
  expect(watches.length).toBe(2);
});

it("a user joins the watch of another one only with the cluster's permission", async () => {
  const { watches, reviews, clock, watch } = scripted();
  const jane = await watch("resourceVersion=10", "jane");
  const joe = await watch("resourceVersion=10", "joe");
  expect([watches.length, reviews.length]).toEqual([1, 1]);
  expect(reviews[0]!.headers["impersonate-user"]).toBe("joe");
  expect(JSON.parse(new TextDecoder().decode(reviews[0]!.body)).spec.resourceAttributes).toEqual({
    verb: "watch",
    group: "",
    version: "v1",
    resource: "pods",
    namespace: "web",
  });
  // The cluster decides about nora's own watch.
  const nora = await watch("resourceVersion=10", "nora");
  expect(watches.length).toBe(2);
  watches[0]!.body.push(encode(event(11)));
  await settle();
  expect([jane, joe, nora].map((reader) => reader.versions())).toEqual([[11], [11], []]);
  await watch("resourceVersion=10", "joe");
  expect(reviews.length).toBe(2);
  await clock.advance(11_000);
  await watch("resourceVersion=10", "joe");
  expect(reviews.length).toBe(3);
});

it("watches that send the current objects first join after them", async () => {
  const { watches, watch } = scripted();
  const first = await watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  watches[0]!.body.push(encode(event(3) + bookmark(10) + event(11)));
  await settle();
  const second = await watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  watches[1]!.body.push(encode(event(3) + event(11) + bookmark(11) + event(12)));
  await settle();
  expect(watches[1]!.request.signal.aborted).toBe(true);
  const third = await watch("resourceVersion=10");
  watches[0]!.body.push(encode(event(12) + event(13)));
  await settle();
  expect(watches.length).toBe(2);
  expect([first, second, third].map((reader) => reader.versions())).toEqual([
    [3, 10, 11, 12, 13],
    [3, 11, 11, 12, 13],
    [11, 12, 13],
  ]);
});

it("watches opened at the same time wait for the first one, and open their own if it's refused", async () => {
  const { watches, watch } = scripted();
  await Promise.all([watch("resourceVersion=10"), watch("resourceVersion=11"), watch("resourceVersion=12")]);
  expect(watches.length).toBe(1);
  const refusing = scripted({ status: 410 });
  const both = await Promise.all([refusing.watch("resourceVersion=10"), refusing.watch("resourceVersion=10")]);
  expect(both.map(({ response }) => response.status)).toEqual([410, 410]);
  expect(refusing.watches.length).toBe(2);
});

it("the end, an error and an ERROR event reach all readers, and the next watch opens another connection", async () => {
  const { watches, watch } = scripted();
  const readers = [await watch("resourceVersion=10"), await watch("resourceVersion=10")];
  watches[0]!.body.end();
  await settle();
  expect(readers.map(({ outcome }) => outcome)).toEqual(["end", "end"]);
  const broken = [await watch("resourceVersion=10"), await watch("resourceVersion=10")];
  watches[1]!.body.end(new Error("reset"));
  await settle();
  expect(broken.map(({ outcome }) => String(outcome))).toEqual(["Error: reset", "Error: reset"]);
  const expired = [await watch("resourceVersion=10"), await watch("resourceVersion=10")];
  watches[2]!.body.push(encode(`${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410 } })}\n`));
  await settle();
  expect(expired.map(({ text }) => text.includes("410"))).toEqual([true, true]);
  await watch("resourceVersion=10");
  expect(watches.length).toBe(4);
});

it("a watch ends after its own timeout", async () => {
  const { watches, watch, clock } = scripted();
  const long = await watch("resourceVersion=10&timeoutSeconds=300");
  const short = await watch("resourceVersion=10&timeoutSeconds=5");
  await clock.advance(5_000);
  expect([short.outcome, long.outcome, watches.length]).toEqual(["end", undefined, 1]);
  expect(watches[0]!.request.signal.aborted).toBe(false);
});

it("a table's columns are in the first event of each reader", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const { watches, watch } = scripted({ contentType: "application/json;as=Table;v=v1;g=meta.k8s.io" });
  await watch("resourceVersion=10", undefined, accept);
  const columnDefinitions = [{ name: "Name" }];
  watches[0]!.body.push(encode(event(11, { kind: "Table", columnDefinitions, rows: [] })));
  await settle();
  const late = await watch("resourceVersion=11", undefined, accept);
  expect(late.response.headers.get("content-type")).toContain("as=Table");
  watches[0]!.body.push(encode(event(12, { kind: "Table", rows: [1] }) + event(13, { kind: "Table", rows: [2] })));
  await settle();
  const [first, second] = late.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).object);
  expect([first.columnDefinitions, second.columnDefinitions]).toEqual([columnDefinitions, undefined]);
  expect(watches.length).toBe(1);
});

it("a reader that falls far behind ends, and the others don't wait for it", async () => {
  const { watches, watch, open } = scripted();
  const fast = await watch("resourceVersion=10");
  const slow = (await open("resourceVersion=10")).body[Symbol.asyncIterator]();
  const line = encode(event(11, { padding: "x".repeat(50_000) }));
  for (let sent = 0; sent < 10; sent++) watches[0]!.body.push(line);
  await settle();
  expect((await slow.next()).done).toBe(false);
  for (let sent = 0; sent < 90; sent++) watches[0]!.body.push(line);
  await settle();
  expect(fast.text.length).toBe(100 * line.length);
  // Its user resumes from the last version that arrived.
  expect((await slow.next()).done).toBe(true);
  expect(watches.length).toBe(1);
});

it("any mix of readers and chunks brings each reader exactly the events after its version", async () => {
  const { next: random } = createRandom(chooseSeed(Math.floor(Math.random() * 2 ** 31)));
  const { watches, watch } = scripted();
  const readers: { from: number; reader: Awaited<ReturnType<typeof watch>> }[] = [
    { from: 100, reader: await watch("resourceVersion=100") },
  ];
  const versions: number[] = [];
  let version = 100;
  let pending = "";
  for (let step = 0; step < 300; step++) {
    if (random() < 0.7) {
      version += 1 + Math.floor(random() * 3);
      versions.push(version);
      pending += event(version);
    }
    if (random() < 0.6 && pending !== "") {
      const length = Math.ceil(random() * pending.length);
      watches[0]!.body.push(encode(pending.slice(0, length)));
      pending = pending.slice(length);
    }
    if (random() < 0.1) {
      const from = 100 + Math.floor(random() * (version - 98));
      readers.push({ from, reader: await watch(`resourceVersion=${from}`) });
    }
    if (random() < 0.3) await settle();
  }
  watches[0]!.body.push(encode(pending));
  await settle();
  expect(watches.length).toBe(1);
  for (const { from, reader } of readers)
    expect(reader.versions(), `from ${from}`).toEqual(versions.filter((each) => each > from));
});
