import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Listener } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import { createServerCertificate } from "../../../../src/apiserver/node/self-signed.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

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
