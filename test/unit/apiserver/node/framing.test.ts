import { afterAll, beforeAll, expect, it } from "vitest";
import { type Listener, listen } from "../../../../src/apiserver/node/listen.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../../src/certificates/authority.js";
import { exchange } from "../../../support/raw-http.js";

const server = createApiServer({ controllers: false });
let listener: Listener;
beforeAll(async () => {
  listener = await listen(server, { allowedHosts: ["*"], tls: createServerCertificate(["127.0.0.1"], Date.now()) });
});
afterAll(async () => {
  await server.close();
  await listener.close();
});

const get = (rest: string): string => `GET ${rest}\r\n\r\n`;
const body = '{"metadata":{"name":"a"}}';
const post = (headers: string): string =>
  `POST /api/v1/namespaces/default/configmaps?dryRun=All HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;

const rows: readonly (readonly [title: string, parts: readonly string[], expected: string])[] = [
  ["text that isn't HTTP", ["hello there\r\n\r\n"], "400"],
  ["no Host header", [get("/version HTTP/1.1\r\nConnection: close")], "400"],
  ["HTTP/1.0 and no Host header", [get("/version HTTP/1.0")], "200"],
  ["two Host headers", [get("/version HTTP/1.1\r\nHost: a\r\nHost: b")], "400"],
  ["a space in the Host header", [get("/version HTTP/1.1\r\nHost: a b")], "400"],
  [
    "an IPv6 address and a port in the Host header",
    [get("/version HTTP/1.1\r\nHost: [::1]:443\r\nConnection: close")],
    "200",
  ],
  ["a version before HTTP/1.0", [get("/version HTTP/0.9\r\nHost: h")], "400"],
  ["a head of 2 MiB", [get(`/version HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(2 * 1024 * 1024)}`)], "431"],
  ["a head of 500 KiB", [get(`/version HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(500 * 1024)}`)], "200"],
  ["3,000 headers", [get(`/version HTTP/1.1\r\nHost: h\r\n${"X: y\r\n".repeat(3000)}Connection: close`)], "200"],
  ["an absolute URL", [get("http://elsewhere/version HTTP/1.1\r\nHost: h")], "200"],
  ["an unknown Expect header", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: tea")], "417"],
  [
    "Expect: 100-continue and a body",
    [post(`Expect: 100-continue\r\nContent-Length: ${body.length}`), body],
    "100 201",
  ],
  ["Expect: 100-continue and no body", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: 100-continue")], "200"],
];

it.each(
  rows.flatMap(([title, parts, expected]) =>
    (["plain TCP", "TLS"] as const).map((kind) => [title, kind, parts, expected] as const),
  ),
)("HTTP/1.1 request with %s over %s", async (_, kind, parts, expected) => {
  const { interim, status } = await exchange(kind === "TLS" ? listener.secureUrl! : listener.url, parts);
  expect([...interim, status].join(" ")).toBe(expected);
});
