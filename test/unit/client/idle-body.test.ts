import { expect, it } from "vitest";
import type { Client } from "../../../src/client/client.js";
import { type ClientOptions, createClient } from "../../../src/client/client.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import { fakeClock } from "./fake-clock.js";
import { type Answer, scripted } from "./scripted-transport.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const list: Answer = { body: ['{"kind":"PodList","items":[', "hang"] };
const verbs: Record<string, (client: Client) => Promise<unknown>> = {
  list: (client) => client.resource(Pod).list(),
  get: (client) => client.resource(Pod).namespace("x").get("a"),
  pages: (client) => client.resource(Pod).pages().next(),
  listChunks: (client) => client.resource(Pod).listChunks().next(),
  "list with idleTimeoutMs 5000": (client) => client.resource(Pod).list({ idleTimeoutMs: 5_000 }),
  "list with idleTimeoutMs 0": (client) => client.resource(Pod).list({ idleTimeoutMs: 0 }),
  raw: async (client) => (await client.request({ path: "/x" })).text(),
  "raw stream": async (client) => (await client.request({ path: "/x", stream: true })).text(),
  "raw stream with idleTimeoutMs 5000": async (client) =>
    (await client.request({ path: "/x", stream: true, idleTimeoutMs: 5_000 })).text(),
  watch: (client) => client.resource(Pod).watch().next(),
  "watch with idleTimeoutMs 0": (client) => client.resource(Pod).watch({ idleTimeoutMs: 0 }).next(),
};

it.each<[string, Partial<ClientOptions>, number | undefined, string?]>([
  ["list", {}, 60_000, "list pods"],
  ["list", { idleTimeoutMs: 9_000 }, 9_000],
  ["list", { idleTimeoutMs: 0 }, undefined],
  ["get", {}, 60_000, 'get pods "a" in "x"'],
  ["pages", {}, 60_000],
  ["listChunks", {}, 60_000],
  ["list with idleTimeoutMs 5000", {}, 5_000],
  ["list with idleTimeoutMs 0", {}, undefined],
  ["raw", {}, 60_000, "GET /x"],
  ["raw stream", {}, undefined],
  ["raw stream with idleTimeoutMs 5000", {}, 5_000],
  ["watch", {}, undefined],
  ["watch with idleTimeoutMs 0", {}, undefined],
])("a stalled body ends %s of a client with options %j after %s ms", async (verb, options, limitMs, action) => {
  const clock = fakeClock();
  const transport = scripted(verb.startsWith("watch") ? { body: ["hang"] } : list);
  const client = createClient({ transport, clock, ...options });
  let outcome: unknown;
  void verbs[verb]!(client).catch((error: unknown) => (outcome = error));
  await turn();
  await clock.advance((limitMs ?? 1e9) - 1);
  expect(outcome).toBeUndefined();
  if (limitMs === undefined) {
    expect(clock.pending()).toBe(0);
    await client.close();
    await turn();
    expect(outcome).toMatchObject({ name: "ClosedError" });
  } else {
    await clock.advance(1);
    await turn();
    expect(outcome).toMatchObject({
      name: "TransportError",
      code: "ETIMEDOUT",
      message: expect.stringContaining(`received no data for ${limitMs} ms`),
    });
    if (action !== undefined) expect((outcome as Error).message).toBe(`${action}: received no data for ${limitMs} ms`);
  }
  expect([clock.pending(), transport.open()]).toEqual([0, 0]);
});

it("idleTimeoutMs restarts with each chunk and ignores the reader's own pauses", async () => {
  const clock = fakeClock();
  const pieces = [new TextEncoder().encode("a"), new TextEncoder().encode("b"), new TextEncoder().encode("c")];
  const client = createClient({ transport: scripted({ body: pieces }), clock, idleTimeoutMs: 1_000 });
  let text = "";
  for await (const piece of (await client.request({ path: "/x" })).body) {
    text += new TextDecoder().decode(piece);
    await clock.advance(5_000);
  }
  expect([text, clock.pending()]).toEqual(["abc", 0]);
});

it("update with a function applies idleTimeoutMs to its read", async () => {
  const clock = fakeClock();
  const client = createClient({ transport: scripted({ body: ["{", "hang"] }), clock });
  const pending = client
    .resource(Pod)
    .namespace("x")
    .update("a", () => undefined, { idleTimeoutMs: 1_000 })
    .catch((error: unknown) => error);
  for (let i = 0; i < 3; i++) await turn();
  await clock.advance(1_000);
  expect(String(await pending)).toContain("received no data for 1000 ms");
});

it("listChunks leaves no timer after a response of the wrong type", async () => {
  const clock = fakeClock();
  const transport = scripted({ headers: { "content-type": "text/html" }, body: "<p>logged out</p>" });
  const client = createClient({ transport, clock });
  await expect(client.resource(Pod).listChunks({ timeoutMs: 60_000 }).next()).rejects.toMatchObject({
    name: "ProtocolError",
    message: "list pods: expected application/json, got text/html",
  });
  expect([clock.pending(), transport.open()]).toEqual([0, 0]);
});

it.each<[string, (client: Client) => Promise<unknown>]>([
  [
    "listChunks",
    async (client) => {
      const slices = client.resource(Pod).listChunks();
      await slices.next();
      await slices.return!();
    },
  ],
  [
    "a watch",
    async (client) => {
      const watch = client.resource(Pod).watch({ idleTimeoutMs: 60_000 });
      await watch.next();
      await watch.return();
    },
  ],
  [
    "a watch in an await using block",
    async (client) => {
      await using watch = client.resource(Pod).watch({ idleTimeoutMs: 60_000 });
      await watch.next();
    },
  ],
  [
    "pages in an await using block",
    async (client) => {
      await using pages = client.resource(Pod).pages();
      void pages.next();
      for (let i = 0; i < 3; i++) await turn();
    },
  ],
  [
    "a raw response",
    async (client) => {
      const answer = await client.request({ path: "/x" });
      await answer.body[Symbol.asyncIterator]().next();
      answer.close();
    },
  ],
])("stopping %s between two chunks leaves no timer", async (what, leave) => {
  const clock = fakeClock();
  const pod = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","resourceVersion":"1"}}';
  await leave(
    createClient({
      transport: scripted({
        body: what.startsWith("a watch")
          ? [`{"type":"ADDED","object":${pod}}\n`, "hang"]
          : [`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${pod},${pod},`, `${pod},`, "hang"],
      }),
      clock,
    }),
  );
  for (let i = 0; i < 3; i++) await turn();
  expect(clock.pending()).toBe(0);
});

it("listChunks names the action when decoding fails", async () => {
  const client = createClient({ transport: scripted({ body: '{"kind":"PodList","items":[oops' }) });
  await expect(client.resource(Pod).listChunks().next()).rejects.toMatchObject({
    name: "ProtocolError",
    message: expect.stringMatching(/^list pods: /) as string,
  });
});

it("listChunks leaves no timer when it is stopped as the response arrives", async () => {
  const clock = fakeClock();
  const transport = scripted({ body: { kind: "PodList", metadata: {}, items: [] } });
  let leave: () => unknown = () => undefined;
  const client = createClient({
    transport,
    clock,
    interceptors: [
      (next) => async (request) => {
        const answer = await next(request);
        // Run after the response has passed all interceptors and before the client reads it.
        queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => leave()))));
        return answer;
      },
    ],
  });
  const slices = client.resource(Pod).listChunks({ timeoutMs: 60_000 });
  const pending = slices.next();
  leave = () => slices.return!();
  await pending.catch(() => undefined);
  for (let i = 0; i < 3; i++) await turn();
  expect([clock.pending(), transport.open()]).toEqual([0, 0]);
});

it.each([
  [{ idleTimeoutMs: -1 }, "idleTimeoutMs must be at least 0, not -1"],
  [{ idleTimeoutMs: Number.NaN }, "idleTimeoutMs must be at least 0, not NaN"],
  [{ timeoutMs: 0 }, "timeoutMs must be greater than 0, not 0"],
])("a call rejects the options %j", async (options, message) => {
  const { pods } = { pods: createClient({ transport: scripted() }).resource(Pod).namespace("x") };
  await expect(pods.get("a", options)).rejects.toThrow(new RangeError(message));
  await expect(pods.watch(options).next()).rejects.toThrow(new RangeError(message));
});

it("createClient rejects a negative idleTimeoutMs", () =>
  expect(() => createClient({ transport: scripted(), idleTimeoutMs: -1 })).toThrow(
    "idleTimeoutMs must be at least 0, not -1",
  ));
