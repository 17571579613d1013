import { describe, expect, it } from "vitest";
import { createApiServer } from "../../src/apiserver/server.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import type { InformerStatus } from "../../src/cache/informer/informer-status.js";
import { createClient } from "../../src/client/client.js";
import { TransportError } from "../../src/errors/errors.js";
import { sleep } from "../../src/internal/clock.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import type { TransportRequest, TransportResponse } from "../../src/transport/transport.js";
import { createVirtualClock, settle } from "../support/virtual-clock.js";
import type { Misbehaviour } from "./outage-network.js";
import { createOutageNetwork, reply, untilAborted } from "./outage-network.js";

const path = "/api/v1/namespaces/default/configmaps";
const minute = 60_000;
const day = 24 * 60 * minute;

const isWatch = ({ path: target }: TransportRequest): boolean => /[?&]watch=(?:1|true)/.test(target);
const status = (code: number, reason: string, more: object = {}): string =>
  JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason,
    code,
    message: "no",
    ...more,
  });
const fails =
  (code: string): Misbehaviour =>
  () =>
    Promise.reject(new TransportError(`connect: ${code}`, { code }));
const answers =
  (code: number, reason: string, headers: Record<string, string> = {}): Misbehaviour =>
  async (request) =>
    reply(request, code, [status(code, reason)], headers);
/** Misbehaves for watches, and lets the rest pass; or the other way round. */
const onWatch =
  (misbehaviour: Misbehaviour): Misbehaviour =>
  (request, up, clock) =>
    isWatch(request) ? misbehaviour(request, up, clock) : up();
const onList =
  (misbehaviour: Misbehaviour): Misbehaviour =>
  (request, up, clock) =>
    isWatch(request) ? answers(410, "Expired")(request, up, clock) : misbehaviour(request, up, clock);
const watchBody = (...pieces: (string | Error)[]): Misbehaviour =>
  onWatch(async (request) => reply(request, 200, pieces));
const errorEvent = (code: number, reason: string): string => `{"type":"ERROR","object":${status(code, reason)}}\n`;

/** Changes the chunks of a response. */
const through =
  (
    change: (chunk: Uint8Array, clock: Parameters<Misbehaviour>[2], signal: AbortSignal) => AsyncIterable<Uint8Array>,
  ): Misbehaviour =>
  async (request, up, clock) => {
    const response = await up();
    return {
      ...response,
      body: {
        async *[Symbol.asyncIterator]() {
          for await (const chunk of response.body) yield* change(chunk, clock, request.signal);
        },
      },
    } satisfies TransportResponse;
  };
const firstBytesOnly: Misbehaviour = async (request, up) => {
  const response = await up();
  return {
    ...response,
    body: {
      async *[Symbol.asyncIterator]() {
        for await (const chunk of response.body) {
          yield chunk.subarray(0, 20);
          throw new TransportError("reset", { code: "ECONNRESET" });
        }
      },
    },
  };
};
const truncated: Misbehaviour = async (request, up) => {
  const response = await up();
  return {
    ...response,
    body: {
      async *[Symbol.asyncIterator]() {
        for await (const chunk of response.body) {
          yield chunk.subarray(0, chunk.length >> 1);
          return;
        }
      },
    },
  };
};

/** Misbehaves for two requests, lets two pass, and so on. */
const byTurns = (misbehaviour: Misbehaviour): Misbehaviour => {
  let count = 0;
  return (request, up, clock) => (count++ % 4 >= 2 ? up() : misbehaviour(request, up, clock));
};
/** Delivers events in pairs, the later one first. */
const swapped: Misbehaviour = async (request, up) => {
  const response = await up();
  if (!isWatch(request)) return response;
  const lines = async function* (): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        yield rest.slice(0, end + 1);
        rest = rest.slice(end + 1);
      }
    }
  };
  return {
    ...response,
    body: {
      async *[Symbol.asyncIterator]() {
        let held = "";
        for await (const line of lines()) {
          if (held === "") held = line;
          else {
            yield new TextEncoder().encode(line + held);
            held = "";
          }
        }
        yield new TextEncoder().encode(held);
      },
    },
  };
};
/** A body that announces gzip and is cut, as Node's transport reports it. */
const cutGzip: Misbehaviour = async (request) => ({
  ...reply(request, 200, [
    '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{}',
    new TransportError("unexpected end of gzip data"),
  ]),
});

interface Row {
  readonly outage: string;
  readonly answer: Misbehaviour;
  /** Status after `afterMs` of it. */
  readonly during: Partial<Record<keyof InformerStatus | "kind", unknown>>;
  /** Default: open connections break. */
  readonly connections?: "cut" | "silent" | "kept";
  /** Default 2 minutes. */
  readonly afterMs?: number;
  /** True if the server also goes back to an earlier state. */
  readonly restored?: boolean;
  /** The same for an informer that only streams its lists, if it differs. */
  readonly streaming?: Row["during"];
  /** True if the store of one that lists follows the server even so. */
  readonly current?: boolean;
  /** True if the server also forgets its history. */
  readonly compacted?: boolean;
  /** Objects that the store may show although the server never had them. */
  readonly wrong?: readonly string[];
  /** Change of the wall clock when the outage begins. */
  readonly jumpMs?: number;
}

const backingOff = (kind: string): Row["during"] => ({ type: "backingOff", kind });
const refused = (kind: string): Row["during"] => ({ type: "refused", kind });

const table: readonly Row[] = [
  { outage: "the connection is refused", answer: fails("ECONNREFUSED"), during: backingOff("transport") },
  { outage: "the name isn't found", answer: fails("ENOTFOUND"), during: backingOff("transport") },
  { outage: "the certificate has expired", answer: fails("CERT_HAS_EXPIRED"), during: backingOff("transport") },
  {
    outage: "TLS is broken off in the handshake",
    answer: fails("ERR_SSL_WRONG_VERSION_NUMBER"),
    during: backingOff("transport"),
  },
  { outage: "the name can't be resolved for now", answer: fails("EAI_AGAIN"), during: backingOff("transport") },
  { outage: "GOAWAY ends each connection", answer: fails("ERR_HTTP2_GOAWAY_SESSION"), during: backingOff("transport") },
  { outage: "connections are reset in the body", answer: firstBytesOnly, during: backingOff("transport") },
  {
    outage: "connections are black holes until a timeout",
    answer: async (request, _up, clock) => {
      await sleep(30_000, clock, request.signal);
      throw new TransportError("headers timeout", { code: "UND_ERR_HEADERS_TIMEOUT" });
    },
    connections: "silent",
    afterMs: 20 * minute,
    during: backingOff("transport"),
  },
  { outage: "500", answer: answers(500, "InternalError"), during: backingOff("server") },
  { outage: "503", answer: answers(503, "ServiceUnavailable"), during: backingOff("server") },
  { outage: "504", answer: answers(504, "Timeout"), during: backingOff("server") },
  { outage: "429", answer: answers(429, "TooManyRequests"), during: backingOff("throttled") },
  {
    outage: "429 with Retry-After",
    answer: answers(429, "TooManyRequests", { "retry-after": "30" }),
    during: backingOff("throttled"),
  },
  {
    outage: "429 with a Retry-After that isn't a number",
    answer: answers(429, "TooManyRequests", { "retry-after": "soon" }),
    during: backingOff("throttled"),
  },
  {
    outage: "a redirect to another server",
    answer: async (request) => reply(request, 307, [""], { location: "https://elsewhere.example/api" }),
    during: { type: "backingOff" },
  },
  { outage: "204 without a body", answer: async (request) => reply(request, 204, []), during: { type: "backingOff" } },
  {
    outage: "a list of another kind",
    answer: async (request) => reply(request, 200, ['{"kind":"Status","apiVersion":"v1","status":"Success"}']),
    during: backingOff("protocol"),
  },
  {
    outage: "lists without a version",
    answer: onList(async (request) =>
      reply(request, 200, ['{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}']),
    ),
    during: backingOff("protocol"),
    // It makes no lists; its watches expire.
    streaming: backingOff("expired"),
  },
  { outage: "401", answer: answers(401, "Unauthorized"), during: refused("unauthorized") },
  { outage: "403", answer: answers(403, "Forbidden"), during: refused("forbidden") },
  { outage: "404", answer: answers(404, "NotFound"), during: refused("notFound") },
  {
    outage: "a login page",
    answer: async (request) => reply(request, 200, ["<html>log in</html>"], { "content-type": "text/html" }),
    during: backingOff("protocol"),
  },
  {
    outage: "502 of a proxy, in HTML",
    answer: async (request) => reply(request, 502, ["<html>bad gateway</html>"], { "content-type": "text/html" }),
    during: backingOff("server"),
  },
  { outage: "lists are cut off", answer: onList(truncated), during: { type: "backingOff" } },
  { outage: "watches send garbage", answer: watchBody("{garbage\n"), during: backingOff("protocol") },
  {
    // Such objects are left out, and the watch ends.
    outage: "watches send objects without a name",
    answer: watchBody('{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}}\n'),
    during: { type: "backingOff" },
  },
  {
    outage: "watches send events of an unknown type",
    answer: watchBody('{"type":"RENAMED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}\n'),
    during: { type: "backingOff" },
  },
  { outage: "watches send a page of HTML", answer: watchBody("<html>log in</html>\n"), during: backingOff("protocol") },
  {
    outage: "watches send events of another kind",
    answer: watchBody(
      '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"other","namespace":"default","uid":"u","resourceVersion":"999"}}}\n',
      "hang",
    ),
    during: backingOff("protocol"),
  },
  {
    outage: "watches send bookmarks of an older version",
    answer: watchBody(
      '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"2"}}}\n',
      "hang",
    ),
    during: { type: "watching" },
  },
  { outage: "watches answer 401", answer: onWatch(answers(401, "Unauthorized")), during: refused("unauthorized") },
  {
    outage: "429 with Retry-After of no time",
    answer: answers(429, "TooManyRequests", { "retry-after": "0" }),
    during: backingOff("throttled"),
  },
  {
    // As by a load balancer whose servers differ: the watch begins at the first page's version.
    outage: "the last page of a list has an older version",
    answer: async (request, up) => {
      if (isWatch(request)) return up();
      if (/[?&]continue=/.test(request.path))
        return reply(request, 200, [
          '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}',
        ]);
      const response = await up();
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body) pieces.push(piece);
      return reply(request, 200, [
        new TextDecoder().decode(Buffer.concat(pieces)).replace('"metadata":{', '"metadata":{"continue":"next",'),
      ]);
    },
    compacted: true,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "every page of a list is followed by the same page",
    answer: onList(async (request) =>
      reply(request, 200, [
        '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"again"},"items":[{"metadata":{"name":"same","namespace":"default","uid":"u","resourceVersion":"1"}}]}',
      ]),
    ),
    during: backingOff("protocol"),
    // It makes no lists; its watches expire.
    streaming: backingOff("expired"),
  },
  {
    // Such as a proxy that keeps the connection busy. No part of the list arrives.
    outage: "lists never end",
    answer: onList(async (request, _up, clock) => ({
      ...reply(request, 200, []),
      body: {
        async *[Symbol.asyncIterator]() {
          yield new TextEncoder().encode('{"kind":"ConfigMapList",');
          for (;;) {
            await sleep(1_000, clock, request.signal);
            yield new TextEncoder().encode(" ");
          }
        },
      },
    })),
    afterMs: 20 * minute,
    during: backingOff("transport"),
  },
  {
    outage: "a proxy drops the query of requests",
    answer: (request, up) => {
      Object.assign(request, { path: request.path.split("?")[0]! });
      return up();
    },
    during: backingOff("protocol"),
  },
  {
    outage: "errors have status 200",
    answer: async (request) => reply(request, 200, [status(500, "InternalError")]),
    during: backingOff("protocol"),
  },
  { outage: "watches end at once", answer: watchBody(), during: { type: "backingOff" } },
  {
    // Such as behind a proxy that collects a response before it sends it. Lists are answered, and show the changes,
    // but the informer that must stream makes none.
    outage: "watches are silent",
    answer: watchBody("hang"),
    during: { type: "watching" },
    streaming: backingOff("transport"),
    afterMs: 20 * minute,
    current: true,
  },
  {
    outage: "watches report 500 in an event",
    answer: watchBody(errorEvent(500, "InternalError")),
    during: backingOff("server"),
  },
  { outage: "watches answer 410", answer: onWatch(answers(410, "Expired")), during: backingOff("expired") },
  {
    outage: "watches report 410 in an event",
    answer: watchBody(errorEvent(410, "Expired")),
    during: backingOff("expired"),
  },
  { outage: "lists answer 410", answer: onList(answers(410, "Expired")), during: backingOff("expired") },
  {
    outage: "504 for a version that is too large",
    answer: async (request) =>
      reply(request, 504, [
        status(504, "Timeout", {
          message: "Too large resource version: 9, current: 1",
          details: {
            causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
            retryAfterSeconds: 1,
          },
        }),
      ]),
    during: backingOff("tooLarge"),
  },
  {
    outage: "every byte takes 100 ms",
    answer: through(async function* (chunk, clock, signal) {
      for (const byte of chunk) {
        await sleep(100, clock, signal);
        yield Uint8Array.of(byte);
      }
    }),
    during: { type: "watching" },
  },
  {
    outage: "every chunk arrives twice",
    answer: onWatch(
      through(async function* (chunk) {
        yield chunk;
        yield chunk;
      }),
    ),
    during: { type: "watching" },
  },
  {
    outage: "requests get 401 and 200 by turns",
    answer: byTurns(answers(401, "Unauthorized")),
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "requests get 502 in HTML and 200 by turns, and a Retry-After date in a year",
    answer: byTurns(async (request, _up, clock) =>
      reply(request, 502, ["<html>bad gateway</html>"], {
        "content-type": "text/html",
        "retry-after": new Date(clock.now() + 365 * day).toUTCString(),
      }),
    ),
    afterMs: 6 * minute,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "503 with a Retry-After date, and a clock that went a year back",
    jumpMs: -365 * day,
    answer: answers(503, "ServiceUnavailable", { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }),
    during: backingOff("server"),
  },
  ...[365 * day, -365 * day].map(
    (jumpMs): Row => ({
      outage: `the wall clock jumps ${jumpMs < 0 ? "back" : "ahead"} by a year, and connections break`,
      jumpMs,
      answer: (_request, up) => up(),
      during: { type: "watching" },
      current: true,
    }),
  ),
  {
    // The peer of each open connection is gone when the machine wakes up.
    outage: "the machine is suspended for eight hours",
    jumpMs: 8 * 60 * minute,
    answer: (_request, up) => up(),
    connections: "silent",
    afterMs: 20 * minute,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "events arrive out of order",
    answer: swapped,
    // The disorder of one watch is over with the next list.
    afterMs: 20 * minute,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "watches send an event of an older version, then nothing",
    answer: watchBody(
      '{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"same","namespace":"default","uid":"u","resourceVersion":"1"}}}\n',
      "hang",
    ),
    during: { type: "watching" },
    // An event is applied whatever its version, as in client-go.
    wrong: ["same@1 u"],
  },
  {
    outage: "watches send one event and end, again and again",
    answer: watchBody(
      '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"1"}}}\n',
    ),
    during: { type: "backingOff" },
  },
  { outage: "compressed lists are cut off", answer: onList(cutGzip), during: { type: "backingOff" } },
  {
    outage: "every continue token has expired",
    answer: onList(async (request, up) => {
      if (/[?&]continue=/.test(request.path)) return answers(410, "Expired")(request, up, undefined as never);
      return reply(request, 200, [
        '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"next"},"items":[]}',
      ]);
    }),
    during: backingOff("expired"),
  },
  {
    outage: "the history is compacted",
    answer: fails("ECONNREFUSED"),
    compacted: true,
    during: backingOff("transport"),
  },
  {
    outage: "the server is restored from a backup",
    answer: fails("ECONNREFUSED"),
    restored: true,
    during: backingOff("transport"),
  },
  {
    outage: "requests are black holes for ever",
    answer: (request) => untilAborted(request.signal),
    connections: "silent",
    afterMs: 20 * minute,
    during: backingOff("transport"),
  },
];

describe.each(["list", "stream"] as const)("informer with initialList %s", (initialList) => {
  it.each(table)("during $outage says so and shows the server's objects after it", async (row) => {
    const clock = createVirtualClock();
    await using server = createApiServer({ clock, controllers: false });
    const network = createOutageNetwork(server, clock);
    const call = async (method: string, target: string, body?: object): Promise<{ items: ConfigMap[] }> => {
      const response = await server.handle(
        new Request(`http://localhost${target}`, {
          method,
          ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        }),
      );
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${target}: ${text}`);
      return JSON.parse(text) as { items: ConfigMap[] };
    };
    const create = (name: string): Promise<unknown> => call("POST", path, { metadata: { name }, data: { text: name } });
    const update = (name: string, text: string): Promise<unknown> =>
      call("PUT", `${path}/${name}`, { metadata: { name }, data: { text } });
    const remove = (name: string): Promise<unknown> => call("DELETE", `${path}/${name}`);
    const shown = (objects: readonly Readonly<ConfigMap>[]): string[] =>
      objects.map(({ metadata }) => `${metadata!.name!}@${metadata!.resourceVersion!} ${metadata!.uid!}`).sort();
    const truth = async (): Promise<string[]> => shown((await call("GET", path)).items);

    for (const name of ["same", "changed", "deleted", "again"]) await create(name);
    const backup = server.snapshot();
    await create("lost");
    const client = createClient({ transport: network, clock, random: () => 0 });
    await using informer = createInformer(client.resource(ConfigMap).namespace("default"), {
      initialList,
      clock,
      random: () => 0,
    });
    informer.start();
    const upToDate = async (): Promise<boolean> => {
      const wanted = (await truth()).join();
      return clock.runUntil(
        () => informer.status.type === "watching" && shown(informer.store.list() as ConfigMap[]).join() === wanted,
        20 * minute,
      );
    };
    expect(await upToDate()).toBe(true);
    const before = shown(informer.store.list() as ConfigMap[]);

    network.begin(row.answer, row.connections ?? "cut");
    clock.jump(row.jumpMs ?? 0);
    if (row.restored === true) server.restore(backup);
    await update("changed", "2");
    await remove("deleted");
    await remove("again");
    await create("again");
    await create("new");
    if (row.compacted === true) server.compact();
    const requests = network.requests;
    const during = (initialList === "stream" ? row.streaming : undefined) ?? row.during;
    await clock.advance(row.afterMs ?? 2 * minute);
    expect.soft(informer.status).toMatchObject(during);
    expect.soft(informer.store.size).toBeGreaterThanOrEqual(before.length - 1);
    const real = [...before, ...(await truth()), ...(row.wrong ?? [])];
    expect.soft(shown(informer.store.list() as ConfigMap[]).filter((object) => !real.includes(object))).toEqual([]);
    if (row.current === true && initialList === "list")
      expect.soft(shown(informer.store.list() as ConfigMap[])).toEqual(await truth());
    // A failure is shown until the server answers, not only in the pauses between two requests.
    if (during.type === "backingOff" || during.type === "refused")
      for (let part = 0; part < 20; part++) {
        await clock.advance(((row.afterMs ?? 2 * minute) * 1.37) / 20);
        expect.soft(informer.status).toMatchObject(during);
      }
    const perMinute = ((network.requests - requests) * minute) / (row.afterMs ?? 2 * minute);
    expect.soft(perMinute).toBeLessThanOrEqual(60);

    network.end();
    expect(await upToDate()).toBe(true);
    await update("same", "live");
    expect(await upToDate()).toBe(true);
    await informer.close();
    for (let turn = 0; turn < 5; turn++) await settle();
    expect(network.open).toBe(0);
  });
});

it.each(["auto", "list", "stream"] as const)(
  "informer whose requests were never answered says so, and catches up, with initialList %s",
  async (initialList) => {
    const clock = createVirtualClock();
    await using server = createApiServer({ clock, controllers: false });
    const network = createOutageNetwork(server, clock);
    network.begin((request) => untilAborted(request.signal), "cut");
    const client = createClient({ transport: network, clock, random: () => 0 });
    const options = { initialList, clock, random: () => 0 };
    await using informer = createInformer(client.resource(ConfigMap).namespace("default"), options);
    const waited = informer.synced({ timeoutMs: 5 * minute }).catch(String);
    informer.start();
    await clock.advance(minute);
    expect(informer.status).toMatchObject(
      initialList === "stream" ? backingOff("transport") : { type: "listing", received: 0 },
    );
    await clock.advance(minute);
    for (let part = 0; part < 30; part++) {
      expect(informer.status).toMatchObject(backingOff("transport"));
      await clock.advance(11_000);
    }
    expect(await waited).toMatch(/received no data for 90 s|sent no end bookmark within 10 s/);
    network.end();
    expect(await clock.runUntil(() => informer.status.type === "watching", 3 * minute)).toBe(true);
    await informer.close();
    for (let turn = 0; turn < 5; turn++) await settle();
    expect(network.open).toBe(0);
  },
);

it.each([
  ["all requests", (request: TransportRequest): boolean => request.path !== "", false],
  ["watches", isWatch, true],
])("informer from whose server %s get no answer says so at once, then that they failed", async (_what, lost, lists) => {
  const clock = createVirtualClock();
  await using server = createApiServer({ clock, controllers: false });
  const network = createOutageNetwork(server, clock);
  const client = createClient({ transport: network, clock, random: () => 0 });
  const maps = client.resource(ConfigMap).namespace("default");
  await using informer = createInformer(maps, { clock, random: () => 0 });
  informer.start();
  expect(await clock.runUntil(() => informer.status.type === "watching", minute)).toBe(true);
  network.begin((request, up) => (lost(request) ? untilAborted(request.signal) : up()), "cut");
  const seen = new Set<string>();
  for (let second = 0; second < 89; second++) {
    await clock.advance(1_000);
    seen.add(informer.status.type);
  }
  expect([...seen]).toEqual(["connecting"]);
  expect(await clock.runUntil(() => informer.status.type === "backingOff", 2_000)).toBe(true);
  expect(informer.status).toMatchObject(backingOff("transport"));
  await server.handle(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "new" } }),
    }),
  );
  for (let second = 0; second < 600; second++) {
    await clock.advance(1_000);
    expect(informer.status.type).not.toBe("watching");
  }
  // Behind a proxy that holds watches back, lists show the changes.
  expect(informer.store.has("default/new")).toBe(lists);
  network.end();
  expect(await clock.runUntil(() => informer.status.type === "watching", 5 * minute)).toBe(true);
  expect(informer.store.has("default/new")).toBe(true);
  await informer.close();
  for (let turn = 0; turn < 5; turn++) await settle();
  expect(network.open).toBe(0);
});
