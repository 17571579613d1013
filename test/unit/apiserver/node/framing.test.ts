// What a real kube-apiserver 1.36 answered to the same bytes; the end-to-end suite compares many more with one that runs.
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
  ["words", ["hello there\r\n\r\n"], "400 close 400 Bad Request"],
  [
    "a later version",
    [get("/version HTTP/3.0\r\nHost: h")],
    "505 close 505 HTTP Version Not Supported: unsupported protocol version",
  ],
  [
    "a space in a name",
    [get("/version HTTP/1.1\r\nHost: h\r\nA B: c")],
    "400 close 400 Bad Request: invalid header name",
  ],
  ["no host", [get("/version HTTP/1.1")], "400 close 400 Bad Request: missing required Host header"],
  ["no host in HTTP/1.0", [get("/version HTTP/1.0")], "200 -"],
  ["HTTP/1.0 that is to go on", [get("/version HTTP/1.0\r\nConnection: keep-alive")], "200 keep-alive"],
  ["two hosts", [get("/version HTTP/1.1\r\nHost: h\r\nHost: i")], "400 close 400 Bad Request"],
  ["a host that is none", [get("/version HTTP/1.1\r\nHost: a/b")], "400 close 400 Bad Request: malformed Host header"],
  [
    "a head of 2 MiB",
    [get(`/version HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(2 * 1024 * 1024)}`)],
    "431 close 431 Request Header Fields Too Large",
  ],
  ["a head of 500 KiB", [get(`/version HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(500 * 1024)}`)], "200 -"],
  [
    "3,000 headers and a token last",
    [get(`/version HTTP/1.1\r\nHost: h\r\n${"X: y\r\n".repeat(3000)}Connection: close`)],
    "200 close",
  ],
  ["a connection that goes on", [get("/version HTTP/1.1\r\nHost: h")], "200 -"],
  ["a connection that ends", [get("/version HTTP/1.1\r\nHost: h\r\nConnection: close")], "200 close"],
  ["a whole URL", [get("http://elsewhere/version HTTP/1.1\r\nHost: h")], "200 -"],
  ["OPTIONS of the server itself", ["OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"], "200 -"],
  ["CONNECT", ["CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"], "404 close 404 page not found\n"],
  ["an expectation", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: tea")], "417 close"],
  ["an expectation of nothing", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: ")], "200 -"],
  ["waiting to go on", [post(`Expect: 100-continue\r\nContent-Length: ${body.length}`), body], "100 201 close"],
  ["waiting to go on, in vain", [get("/version HTTP/1.1\r\nHost: h\r\nExpect: 100-continue")], "200 -"],
  [
    "an encoding of the transfer",
    [post("Transfer-Encoding: gzip, chunked")],
    "501 close Unsupported transfer encoding",
  ],
];

it.each(
  rows.flatMap(([title, parts, expected]) =>
    (["plain", "TLS"] as const).map((kind) => [title, kind, parts, expected] as const),
  ),
)("%s, %s", async (_, kind, parts, expected) => {
  const {
    interim,
    status,
    headers,
    body: answer,
  } = await exchange(kind === "TLS" ? listener.secureUrl! : listener.url, parts);
  const said = status >= 400 ? ` ${new TextDecoder().decode(answer)}` : "";
  expect(
    [...interim, `${status} ${headers.get("connection")?.join() ?? "-"}${said === " " ? "" : said}`].join(" "),
  ).toBe(expected);
});
