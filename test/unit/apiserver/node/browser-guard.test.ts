import { connect as connectHttp2 } from "node:http2";
import { expect, it } from "vitest";
import type { ListenOptions } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import type { ApiServerOptions } from "../../../../src/apiserver/options.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { exchange } from "../../../support/raw-http.js";

const read = "GET /version";
const write = "POST /api/v1/namespaces/default/configmaps";
const body = '{"metadata":{"name":"a"}}';
const upgrade = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

interface Row {
  readonly target?: string;
  readonly headers: readonly string[];
  readonly status: number;
  readonly listen?: ListenOptions;
  readonly server?: ApiServerOptions;
}

const rows: Readonly<Record<string, Row>> = {
  "the address listened on": { headers: ["Host: 127.0.0.1:PORT"], status: 200 },
  localhost: { headers: ["Host: LocalHost.:1"], status: 200 },
  "a name below localhost": { headers: ["Host: a.localhost"], status: 200 },
  "the IPv6 loopback address": { headers: ["Host: [::1]:1"], status: 200 },
  "a rebound host name": { headers: ["Host: evil.test:PORT"], status: 403 },
  "a host name that starts like a loopback address": { headers: ["Host: 127.0.0.1.evil.test"], status: 403 },
  "an address of another machine": { headers: ["Host: 192.0.2.1"], status: 403 },
  "an allowed host name": { headers: ["Host: apiserver:80"], status: 200, listen: { allowedHosts: ["ApiServer"] } },
  "any host name when all are allowed": { headers: ["Host: a.test"], status: 200, listen: { allowedHosts: ["*"] } },
  "an address, for a server on all interfaces": {
    headers: ["Host: 192.0.2.1"],
    status: 200,
    listen: { host: "0.0.0.0" },
  },
  "a rebound host name, for a server on all interfaces": {
    headers: ["Host: evil.test"],
    status: 403,
    listen: { host: "0.0.0.0" },
  },
  "a read from a foreign origin, which CORS covers": {
    headers: ["Host: 127.0.0.1:PORT", "Origin: http://evil.test"],
    status: 200,
  },
  "a write from a foreign origin": {
    target: write,
    headers: ["Host: 127.0.0.1:PORT", "Origin: http://evil.test"],
    status: 403,
  },
  "a write from a sandboxed frame": { target: write, headers: ["Host: 127.0.0.1:PORT", "Origin: null"], status: 403 },
  "a write from another port": {
    target: write,
    headers: ["Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:1"],
    status: 403,
  },
  "a write from the same origin": {
    target: write,
    headers: ["Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT"],
    status: 201,
  },
  "a write without an origin": { target: write, headers: ["Host: 127.0.0.1:PORT"], status: 201 },
  "a write from an origin that CORS allows": {
    target: write,
    headers: ["Host: 127.0.0.1:PORT", "Origin: http://good.test"],
    status: 201,
    server: { corsAllowedOrigins: ["//good\\.test$"] },
  },
  "a WebSocket from a foreign origin": {
    target: "GET /api/v1/secrets?watch=1",
    headers: ["Host: 127.0.0.1:PORT", "Origin: http://evil.test", ...upgrade],
    status: 403,
  },
};

it.each(Object.entries(rows))("listen answers %s", async (_, row) => {
  const server = createApiServer({ controllers: false, ...row.server });
  const listener = await listen(server, row.listen);
  try {
    const { target = read } = row;
    const length = target === write ? [`Content-Length: ${body.length}`] : [];
    const close = row.headers.includes("Upgrade: websocket") ? [] : ["Connection: close"];
    const head = [`${target} HTTP/1.1`, ...row.headers, ...length, ...close].join("\r\n");
    const text = `${head.replaceAll("PORT", String(listener.port))}\r\n\r\n${target === write ? body : ""}`;
    const answer = await exchange(`http://127.0.0.1:${listener.port}`, [text]);
    expect(answer.status).toBe(row.status);
    if (row.status === 403) expect(Buffer.from(answer.body).toString()).toMatch(/^Forbidden: the (host|origin) /);
  } finally {
    await listener.close();
    await server.close();
  }
});

it("listen refuses a foreign host name over HTTP/2", async () => {
  const server = createApiServer({ controllers: false });
  const listener = await listen(server);
  const session = connectHttp2(listener.url);
  const stream = session.request({ ":path": "/version", ":authority": "evil.test" });
  const status = await new Promise((resolve) => stream.on("response", (headers) => resolve(headers[":status"])));
  expect(status).toBe(403);
  session.destroy();
  await listener.close();
  await server.close();
});

it.each(["\u00e9", "\u20ac", "\ud83d\ude00"])("server echoes the Audit-Id %s", async (text) => {
  const server = createApiServer({ controllers: false });
  const listener = await listen(server);
  const bytes = Buffer.from(text).toString("latin1");
  const answer = await fetch(`${listener.url}/version`, { headers: { "audit-id": bytes } });
  expect(answer.headers.get("audit-id")).toBe(bytes);
  const inProcess = await server.handle(new Request("http://server/version", { headers: { "audit-id": bytes } }));
  expect(inProcess.headers.get("audit-id")).toBe(bytes);
  await listener.close();
  await server.close();
});

it.each([
  [true, "/version", 200],
  [false, "/readyz", 401],
  [["/readyz"], "/readyz", 200],
  [["/readyz"], "/version", 401],
] as const)("server with anonymousAuth %j answers %s without a token with %i", async (anonymousAuth, path, status) => {
  const server = createApiServer({ controllers: false, anonymousAuth });
  expect((await server.handle(new Request(`http://server${path}`))).status).toBe(status);
  await server.close();
});
