import { get } from "node:http";
import type { ClientHttp2Session } from "node:http2";
import { connect } from "node:http2";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Exchange } from "../../../../src/apiserver/node/exchange.js";
import type { Listener } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import { pump } from "../../../../src/apiserver/node/pump.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { Watcher } from "../../../../src/apiserver/storage/watcher.js";
import { systemClock } from "../../../../src/internal/clock.js";

let server: ApiServer;
let listener: Listener;
beforeEach(async () => {
  server = createApiServer({ controllers: false });
  listener = await listen(server);
});
afterEach(async () => {
  await listener.close();
  await server.close();
});

const collection = "/api/v1/namespaces/default/configmaps";
const post = async (name: string, bytes: number): Promise<number> => {
  const body = JSON.stringify({ metadata: { name }, data: { text: "é".repeat(bytes) } });
  const response = await fetch(`${listener.url}${collection}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await response.arrayBuffer();
  return response.status;
};
const nameOf = (line: string): string =>
  (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name;

/** Returns the names in the first `count` events of a watch. */
function watchHttp1(count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const request = get(`${listener.url}${collection}?watch=1`, { agent: false }, (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (piece: string) => {
          text += piece;
          if (text.split("\n").length > count) request.destroy();
        })
        .on("error", () => undefined);
      response.on("close", () => resolve(text.split("\n").slice(0, count).map(nameOf)));
    }).on("error", reject);
  });
}

function watchHttp2(session: ClientHttp2Session, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let text = "";
    const stream = session.request({ ":path": `${collection}?watch=1` });
    stream
      .setEncoding("utf8")
      .on("error", reject)
      .on("data", (piece: string) => {
        text += piece;
        if (text.split("\n").length > count) resolve(text.split("\n").slice(0, count).map(nameOf));
      });
  });
}

it("many watches get the same events in the same order over HTTP/1.1 and HTTP/2", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `c-${String(index).padStart(2, "0")}`);
  const session = connect(listener.url);
  const told = [
    ...Array.from({ length: 8 }, () => watchHttp1(names.length)),
    ...Array.from({ length: 4 }, () => watchHttp2(session, names.length)),
  ];
  for (const [index, name] of names.entries()) expect(await post(name, index % 5 === 0 ? 40_000 : 10)).toBe(201);
  for (const seen of await Promise.all(told)) expect(seen).toEqual(names);
  await new Promise((resolve) => {
    session.once("close", resolve);
    session.destroy();
  });
});

it("changes that follow closely are written together, after a pause of four times the last flush", async () => {
  let now = performance.now();
  const waits: number[] = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const timers = vi.spyOn(systemClock, "setTimer").mockImplementation((callback, delayMs) => {
    waits.push(Math.round(delayMs));
    setImmediate(() => {
      now += delayMs;
      callback();
    });
    return { cancel: () => undefined };
  });
  const chunks: string[] = [];
  const watcher = new Watcher(
    1000,
    () => undefined,
    (error) => expect.unreachable(String(error)),
  );
  const write = (chunk: Uint8Array): undefined => {
    chunks.push(new TextDecoder().decode(chunk));
    now += chunks.length;
    for (const frame of burst.shift() ?? []) watcher.push(new TextEncoder().encode(frame));
    if (burst.length === 0) watcher.end();
  };
  const burst = [["b", "c"], ["d", "e", "f"], ["g"], []];
  watcher.push(new TextEncoder().encode("a"));
  await pump({ write, end: () => undefined } as unknown as Exchange, watcher, new AbortController().signal);
  timers.mockRestore();
  vi.restoreAllMocks();
  // The flushes took 1, 2 and 3 ms, and a chunk waits for 10 ms at most.
  expect([chunks, waits]).toEqual([
    ["a", "bc", "def", "g"],
    [0, 4, 8, 10],
  ]);
});

it("a body over the limit is answered with 413, with and without a content length", async () => {
  const long = "x".repeat(3 * 1024 * 1024 + 1);
  const told = await fetch(`${listener.url}${collection}`, {
    method: "POST",
    body: long,
    headers: { "content-type": "application/json" },
  });
  expect(told.status).toBe(413);
  const untold = await fetch(`${listener.url}${collection}`, {
    method: "POST",
    body: new Blob([long]).stream(),
    duplex: "half",
    headers: { "content-type": "application/json" },
  } as RequestInit);
  expect(untold.status).toBe(413);
  expect(await post("after", 1)).toBe(201);
});

it("large responses are compressed for clients that accept gzip", async () => {
  await post("large", 100_000);
  const [plain, compressed] = await Promise.all(
    ["identity", "gzip"].map((encoding) =>
      fetch(`${listener.url}${collection}`, { headers: { "accept-encoding": encoding } }),
    ),
  );
  expect([plain!.headers.get("content-encoding"), compressed!.headers.get("content-encoding")]).toEqual([null, "gzip"]);
  expect(await compressed!.text()).toBe(await plain!.text());
});

it("a large list is the same over HTTP/1.1 and HTTP/2, and compressed", async () => {
  for (let i = 0; i < 6; i += 1) expect(await post(`piece-${String(i)}`, 100_000)).toBe(201);
  const [plain, compressed] = await Promise.all(
    ["identity", "gzip"].map(async (encoding) => {
      const response = await fetch(`${listener.url}${collection}`, { headers: { "accept-encoding": encoding } });
      return response.text();
    }),
  );
  const session = connect(listener.url);
  const stream = session.request({ ":path": collection });
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
  await new Promise((resolve) => {
    session.once("close", resolve);
    session.destroy();
  });
  expect(text.length).toBeGreaterThan(600_000);
  expect([compressed === text, plain === text]).toEqual([true, true]);
});
