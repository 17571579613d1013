import { expect, it } from "vitest";
import { createClient, type ClientOptions } from "../../../src/client/client.js";
import type { Client } from "../../../src/client/client.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import { fakeClock } from "./fake-clock.js";
import { scripted, type Answer } from "./scripted-transport.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const list: Answer = { body: ['{"kind":"PodList","items":[', "hang"] };
const verbs: Record<string, (client: Client) => Promise<unknown>> = {
  list: (client) => client.resource(Pod).list(),
  get: (client) => client.resource(Pod).namespace("x").get("a"),
  pages: (client) => client.resource(Pod).pages().next(),
  slices: (client) => client.resource(Pod).slices().next(),
  "list, told otherwise": (client) => client.resource(Pod).list({ idleTimeoutMs: 5_000 }),
  "list, without a limit": (client) => client.resource(Pod).list({ idleTimeoutMs: 0 }),
  "raw": async (client) => (await client.request({ path: "/x" })).text(),
  "raw stream": async (client) => (await client.request({ path: "/x", stream: true })).text(),
  "raw stream, told otherwise": async (client) => (await client.request({ path: "/x", stream: true, idleTimeoutMs: 5_000 })).text(),
  watch: (client) => client.resource(Pod).watch().next(),
};

it.each<[string, Partial<ClientOptions>, number | undefined, string?]>([
  ["list", {}, 60_000, "list pods"],
  ["list", { idleTimeoutMs: 9_000 }, 9_000],
  ["list", { idleTimeoutMs: 0 }, undefined],
  ["get", {}, 60_000, 'get pods "a" in "x"'],
  ["pages", {}, 60_000],
  ["slices", {}, 60_000],
  ["list, told otherwise", {}, 5_000],
  ["list, without a limit", {}, undefined],
  ["raw", {}, 60_000, "GET /x"],
  ["raw stream", {}, undefined],
  ["raw stream, told otherwise", {}, 5_000],
  ["watch", {}, undefined],
])("an answer that stops in the middle ends a %s of a client with %j after %s ms", async (verb, options, limitMs, action) => {
  const clock = fakeClock();
  const transport = scripted(verb === "watch" ? { body: ["hang"] } : list);
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
    expect(outcome).toMatchObject({ name: "TransportError", code: "ETIMEDOUT", message: expect.stringContaining(`nothing came for ${limitMs} ms`) });
    if (action !== undefined) expect((outcome as Error).message).toBe(`${action}: nothing came for ${limitMs} ms`);
  }
  expect([clock.pending(), transport.open()]).toEqual([0, 0]);
});

it("each piece of an answer begins the wait anew, and a reader's own pauses do not count", async () => {
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

it("refuses a limit that makes no sense", () => expect(() => createClient({ transport: scripted(), idleTimeoutMs: -1 })).toThrow("idleTimeoutMs must be at least 0, not -1"));
