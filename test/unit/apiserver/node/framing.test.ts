import { afterAll, beforeAll, expect, it } from "vitest";
import { type Listener, listen } from "../../../../src/apiserver/node/listen.js";
import { createServerCertificate } from "../../../../src/apiserver/node/self-signed.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { exchange } from "../../../support/raw-http.js";

const server = createApiServer({ controllers: false });
let listener: Listener;
beforeAll(async () => {
  listener = await listen(server, { tls: createServerCertificate(["127.0.0.1"], Date.now()) });
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
  ["words", ["hello there\r\n\r\n"], "400"],
  ["no host", [get("/version HTTP/1.1\r\nConnection: close")], "400"],
  ["no host in HTTP/1.0", [get("/version HTTP/1.0")], "200"],
  ["two hosts", [get("/version HTTP/1.1\r\nHost: a\r\nHost: b")], "400"],
  ["a host with a space", [get("/version HTTP/1.1\r\nHost: a b")], "400"],
  ["an address and a port as host", [get("/version HTTP/1.1\r\nHost: [::1]:443\r\nConnection: close")], "200"],
  ["HTTP before 1.0", [get("/version HTTP/0.9\r\nHost: h")], "400"],
  ["a head of 2 MiB", [get(`/version HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(2 * 1024 * 1024)}`)], "431"],
  ["a head of 500 KiB", [get(`/version HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(500 * 1024)}`)], "200"],
  [
    "3,000 headers and a token last",
    [get(`/version HTTP/1.1\r\nHost: h\r\n${"X: y\r\n".repeat(3000)}Connection: close`)],
    "200",
  ],
  ["a whole URL", [get("http://elsewhere/version HTTP/1.1\r\nHost: h")], "200"],
  ["an expectation", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: tea")], "417"],
  ["waiting to go on", [post(`Expect: 100-continue\r\nContent-Length: ${body.length}`), body], "100 201"],
  ["waiting to go on, in vain", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: 100-continue")], "200"],
];

it.each(
  rows.flatMap(([title, parts, expected]) =>
    (["plain", "TLS"] as const).map((kind) => [title, kind, parts, expected] as const),
  ),
)("%s, %s", async (_, kind, parts, expected) => {
  const { interim, status } = await exchange(kind === "TLS" ? listener.secureUrl! : listener.url, parts);
  expect([...interim, status].join(" ")).toBe(expected);
});
