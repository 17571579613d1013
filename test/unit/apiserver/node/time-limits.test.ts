import { once } from "node:events";
import http1 from "node:http";
import http2 from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Listener } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../../src/certificates/authority.js";

const server = createApiServer({ controllers: false });
let listener: Listener;
beforeAll(async () => {
  listener = await listen(server, {
    tls: createServerCertificate(["127.0.0.1"], Date.now()),
    timeouts: { headMs: 100, requestMs: 200, idleMs: 100 },
  });
});
afterAll(async () => {
  await listener.close();
  await server.close();
});

const http = "HTTP/1.1\r\nHost: localhost\r\n";
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
it.each([
  ["sends nothing", "", /^$/],
  ["sends half a TLS hello", "\u0016\u0003\u0001", /^$/],
  ["sends half a head", `GET /version ${http}`, /^HTTP\/1.1 408 /],
  [
    "sends half a body",
    `POST /api/v1/namespaces/default/configmaps ${http}Content-Length: 10\r\n\r\n{`,
    /^HTTP\/1.1 408 /,
  ],
  [
    "sends part of a body that is too large",
    `POST /api/v1/namespaces/default/configmaps ${http}Content-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{`,
    /^HTTP\/1.1 413 (?![^]*HTTP\/1.1 408)/,
  ],
  [
    "sends a chunked body that is too large",
    `POST /api/v1/namespaces/default/configmaps ${http}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n${"x".repeat(0x400000)}\r\n1`,
    /^HTTP\/1.1 413 (?![^]*HTTP\/1.1 408)/,
  ],
  ["sends nothing after an answer", `GET /version ${http}\r\n`, /^HTTP\/1.1 200 /],
  ["sends half a second head", `GET /version ${http}\r\nGET /`, /^HTTP\/1.1 200 [^]*HTTP\/1.1 408 /],
  ["sends only the preface of HTTP/2", preface, /^/],
])("listen closes a connection that %s", async (_, text, expected) => {
  const socket = connect(listener.port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString("latin1"))).on("error", () => undefined);
  socket.write(text, "latin1");
  await once(socket, "close");
  expect(received).toMatch(expected);
});

it("watches outlive the limits that end a stalled body of HTTP/2", async () => {
  const path = "/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Dlate";
  await using plain = await listen(server, { timeouts: { headMs: 100, requestMs: 200, idleMs: 100 } });
  const agent = new http1.Agent();
  const first = http1.get({ host: "127.0.0.1", port: plain.port, path, agent });
  const [overHttp1] = (await once(first, "response")) as [http1.IncomingMessage];
  overHttp1.on("error", () => undefined);
  // Not before, because the limit for an idle session would end it while the first request is on its way.
  const session = http2.connect(`http://127.0.0.1:${String(plain.port)}`);
  try {
    const overHttp2 = session.request({ ":path": path });
    await once(overHttp2, "response");
    const stalled = session.request({ ":method": "POST", ":path": "/api/v1/namespaces" });
    stalled.on("error", () => undefined);
    stalled.write("{");
    await once(stalled, "close");
    const events = [once(overHttp1, "data"), once(overHttp2, "data")];
    const created = await server.handle(
      new Request("http://localhost/api/v1/namespaces", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name: "late" } }),
      }),
    );
    expect(created.status).toBe(201);
    for (const [event] of (await Promise.all(events)) as [Buffer][]) expect(event.toString()).toContain('"late"');
  } finally {
    session.destroy();
    agent.destroy();
  }
});

it("a session of HTTP/2 is closed when it is idle after a request, and not during one that takes longer", async () => {
  const remove = server.faults.add({ match: { path: /slow/ }, effect: { type: "delay", ms: 250 } });
  const session = http2.connect(`http://127.0.0.1:${String(listener.port)}`);
  const closed = once(session, "close");
  const slow = session.request({ ":path": "/slow" });
  const [response] = (await once(slow, "response")) as [{ ":status": number }];
  slow.resume();
  remove();
  expect(response[":status"]).toBe(404);
  await closed;
});
