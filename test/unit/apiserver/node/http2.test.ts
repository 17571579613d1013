import { once } from "node:events";
import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { connect } from "node:http2";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Listener } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
let listener: Listener;
let session: ClientHttp2Session;
beforeAll(async () => {
  listener = await listen(server);
});
afterAll(async () => {
  await listener.close();
  await server.close();
});
beforeEach(() => {
  session = connect(listener.url);
});
afterEach(async () => {
  if (session.destroyed) return;
  const closed = once(session, "close");
  session.destroy();
  await closed;
});

const collection = "/api/v1/namespaces/default/configmaps";

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function send(headers: OutgoingHttpHeaders, body?: string): Promise<Received> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [received] = (await once(stream, "response")) as [IncomingHttpHeaders & { ":status"?: number }];
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
  return { status: received[":status"], headers: received, text };
}

const post = { ":method": "POST", ":path": collection, "content-type": "application/json" };
const configMap = (name: string): string => JSON.stringify({ metadata: { name } });

it("HTTP/2 responses to HEAD have the length of the body, and no body", async () => {
  const full = await send({ ":path": "/openapi/v3" });
  const head = await send({ ":method": "HEAD", ":path": "/openapi/v3" });
  expect(full.text).not.toBe("");
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-length": String(full.text.length) } });
});

it("HTTP/2 answers 403 to GET and HEAD for a foreign host, and the session goes on", async () => {
  const foreign = { ":authority": "evil.example", ":path": "/version" };
  expect(await send(foreign)).toMatchObject({ status: 403, text: "Forbidden: the host evil.example isn't allowed\n" });
  expect(await send({ ...foreign, ":method": "HEAD" })).toMatchObject({ status: 403, text: "" });
  expect((await send({ ":path": "/version" })).status).toBe(200);
});

it("HTTP/2 refuses CONNECT with 405, and unknown expectations with 417", async () => {
  expect((await send({ ":method": "CONNECT", ":authority": "localhost" })).status).toBe(405);
  expect((await send({ ...post, expect: "a miracle" }, configMap("expected"))).status).toBe(417);
});

it("HTTP/2 clients that expect 100 Continue get it before they send the body", async () => {
  const stream = session.request({ ...post, expect: "100-continue" });
  await once(stream, "continue");
  stream.end(configMap("continued"));
  const [received] = (await once(stream, "response")) as [{ ":status": number }];
  stream.resume();
  expect(received[":status"]).toBe(201);
});

it("HTTP/2 answers 413 to a body over the limit, and the session goes on", async () => {
  const long = JSON.stringify({ metadata: { name: "long" }, data: { text: "x".repeat(3 * 1024 * 1024) } });
  expect((await send(post, long)).status).toBe(413);
  expect((await send(post, configMap("after"))).status).toBe(201);
});

it("a client that resets an HTTP/2 stream while the server answers keeps its session", async () => {
  const remove = server.faults.add({ match: { path: /late/ }, effect: { type: "delay", ms: 1 } });
  const streams = Array.from({ length: 20 }, () => session.request({ ":path": `${collection}/late` }));
  const closed = streams.map((stream) =>
    once(
      stream.on("error", () => undefined),
      "close",
    ),
  );
  for (const stream of streams) stream.close(8);
  await Promise.all(closed);
  remove();
  expect((await send({ ":path": "/version" })).status).toBe(200);
});

it("a fault that drops the connection resets the stream of HTTP/2 only", async () => {
  const remove = server.faults.add({ match: { path: /dropped/ }, effect: { type: "reset" } });
  const stream = session.request({ ":path": `${collection}/dropped` });
  stream.on("error", () => undefined);
  await once(stream, "close");
  remove();
  expect((await send({ ":path": "/version" })).status).toBe(200);
});
