import { gzipSync } from "node:zlib";
import { cbor } from "../../src/codec/cbor/cbor.js";

/** Request as raw bytes. */
export interface RawRequest {
  readonly title: string;
  /** Parts of the request. Later parts wait until something was received. */
  readonly parts: readonly (string | Uint8Array)[];
}

type Headers = Readonly<Record<string, string>>;
type Body = string | Uint8Array;

const bytesOf = (body: Body): Uint8Array => (typeof body === "string" ? new TextEncoder().encode(body) : body);
const join = (...parts: Body[]): Uint8Array => Buffer.concat(parts.map(bytesOf));

/** Returns the lines before a body. Adds `Host`, a token and `Connection: close` unless the headers override them. */
function head(start: string, headers: Headers): string {
  const all: Headers = {
    Host: "server",
    Authorization: "Bearer admin-token",
    "User-Agent": "raw/1",
    Connection: "close",
    ...headers,
  };
  return `${start}\r\n${Object.entries(all)
    .filter(([, value]) => value !== "(none)")
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
}

function request(title: string, method: string, target: string, headers: Headers = {}, body?: Body): RawRequest {
  if (body === undefined) return { title, parts: [head(`${method} ${target} HTTP/1.1`, headers)] };
  const bytes = bytesOf(body);
  return {
    title,
    parts: [join(head(`${method} ${target} HTTP/1.1`, { "Content-Length": String(bytes.length), ...headers }), bytes)],
  };
}

const get = (target: string, headers: Headers = {}): RawRequest =>
  request(
    `GET ${target}${Object.keys(headers).length === 0 ? "" : ` ${JSON.stringify(headers)}`}`.slice(0, 120),
    "GET",
    target,
    headers,
  );
const raw = (title: string, ...parts: Body[]): RawRequest => ({ title, parts });

const namespaced = "/api/v1/namespaces/raw/configmaps";
const widgets = "/apis/raw.test/v1/namespaces/raw/widgets";
const json = { "Content-Type": "application/json" };
const yaml = { "Content-Type": "application/yaml" };
const binary = { "Content-Type": "application/cbor" };
const cm = (more: string): string => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}${more}}`;
const post = (title: string, body: Body, headers: Headers = json, target = `${namespaced}?dryRun=All`): RawRequest =>
  request(title, "POST", target, headers, body);
const patch = (title: string, type: string, body: Body, target = `${namespaced}/there?dryRun=All`): RawRequest =>
  request(title, "PATCH", target, { "Content-Type": type }, body);
const chunked = (...pieces: Body[]): Uint8Array =>
  join(...pieces.flatMap((piece): Body[] => [`${bytesOf(piece).length.toString(16)}\r\n`, piece, "\r\n"]), "0\r\n\r\n");
const nested = (open: string, inner: string, close: string, depth: number): string =>
  open.repeat(depth) + inner + close.repeat(depth);
const custom = (more: string): string =>
  `{"apiVersion":"raw.test/v1","kind":"Widget","metadata":{"name":"new"}${more}}`;
const MiB = 1024 * 1024;

const framing: readonly RawRequest[] = [
  raw("text instead of a request", "hello there\r\n\r\n"),
  raw("a request line without a version", `${head("GET /version", {})}`),
  raw("HTTP/0.9", `${head("GET /version HTTP/0.9", {})}`),
  raw("HTTP/1.0", `${head("GET /version HTTP/1.0", {})}`),
  raw("HTTP/1.0 without a host", `${head("GET /version HTTP/1.0", { Host: "(none)" })}`),
  raw("HTTP/1.2", `${head("GET /version HTTP/1.2", {})}`),
  raw("HTTP/3.0", `${head("GET /version HTTP/3.0", {})}`),
  raw("http/1.1 in lower case", `${head("GET /version http/1.1", {})}`),
  raw("lines that end with LF only", head("GET /version HTTP/1.1", {}).replaceAll("\r\n", "\n")),
  raw("two spaces in the request line", `${head("GET  /version HTTP/1.1", {})}`),
  raw("a space at the end of the request line", `${head("GET /version HTTP/1.1 ", {})}`),
  raw("a tab in the request line", `${head("GET\t/version HTTP/1.1", {})}`),
  request("a missing host", "GET", "/version", { Host: "(none)" }),
  raw("two hosts", head("GET /version HTTP/1.1", {}).replace("\r\n", "\r\nHost: other\r\n")),
  request("an empty host", "GET", "/version", { Host: "" }),
  request("a host with a space", "GET", "/version", { Host: "a b" }),
  request("a host with a slash", "GET", "/version", { Host: "a/b" }),
  request("a header name with a space", "GET", "/version", { "Bad Name": "x" }),
  raw("a space before the colon", head("GET /version HTTP/1.1", {}).replace("User-Agent:", "User-Agent :")),
  raw("a header without a colon", head("GET /version HTTP/1.1", {}).replace("User-Agent:", "User-Agent")),
  raw("a header without a name", head("GET /version HTTP/1.1", {}).replace("User-Agent:", ":")),
  raw("a folded header", head("GET /version HTTP/1.1", {}).replace("raw/1", "raw/1\r\n folded")),
  raw("a first header that begins with a space", head("GET /version HTTP/1.1", {}).replace("\r\nHost", "\r\n Host")),
  raw("a zero byte in a header", head("GET /version HTTP/1.1", {}).replace("raw/1", "raw\0/1")),
  raw("a carriage return in a header", head("GET /version HTTP/1.1", {}).replace("raw/1", "raw\r/1")),
  raw("a zero byte in the path", head("GET /version\0 HTTP/1.1", {})),
  raw("bytes of UTF-8 in the path", head("GET /api/v1/namespaces/é HTTP/1.1", {})),
  raw("bytes of UTF-8 in a header", join(head("GET /version HTTP/1.1", { "X-Note": "grün" }))),
  request("an authority instead of a path", "GET", "server:80"),
  request("an absolute URL", "GET", "http://other/version"),
  request("an absolute URL without a path", "GET", "http://other"),
  request("a target without a slash", "GET", "version"),
  request("an asterisk", "GET", "*"),
  request("OPTIONS of an asterisk", "OPTIONS", "*"),
  request("CONNECT", "CONNECT", "server:443"),
  request("CONNECT of a path", "CONNECT", "/api/v1/namespaces/raw/pods/x/proxy"),
  request("a fragment", "GET", "/version#part"),
  request("an empty query", "GET", "/version?"),
  request("headers of 200 KiB", "GET", "/version", { "X-Filler": "x".repeat(200 * 1024) }),
  request("headers of 2 MiB", "GET", "/version", { "X-Filler": "x".repeat(2 * MiB) }),
  raw(
    "3,000 headers",
    head("GET /version HTTP/1.1", Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`X-Filler-${at}`, "x"]))),
  ),
  request("a path of 20 KiB", "GET", `/api/v1/namespaces/${"x".repeat(20 * 1024)}`),
  request("a path of 2 MiB", "GET", `/api/v1/namespaces/${"x".repeat(2 * MiB)}`),
  request("a query of 100 KiB", "GET", `${namespaced}/there?${"x=y&".repeat(25_000)}`),
  post("a content length that is not a number", cm(""), { ...json, "Content-Length": "abc" }),
  post("a negative content length", cm(""), { ...json, "Content-Length": "-1" }),
  post("a content length with a plus sign", cm(""), { ...json, "Content-Length": `+${cm("").length}` }),
  post("an empty content length", cm(""), { ...json, "Content-Length": "" }),
  post("a content length beyond 64 bits", cm(""), { ...json, "Content-Length": "99999999999999999999" }),
  raw(
    "two lengths that agree",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Content-Length": "2", "content-length": "2" }),
      "{}",
    ),
  ),
  raw(
    "two lengths that do not",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Content-Length": "2", "content-length": "3" }),
      "{} ",
    ),
  ),
  raw(
    "a length and chunks",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, {
        ...json,
        "Content-Length": "5",
        "Transfer-Encoding": "chunked",
      }),
      chunked(cm("")),
    ),
  ),
  raw(
    "chunks",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "chunked" }),
      chunked(cm("").slice(0, 10), cm("").slice(10)),
    ),
  ),
  raw(
    "chunks in upper case",
    join(head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "Chunked" }), chunked(cm(""))),
  ),
  raw(
    "chunks with extensions and trailers",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "chunked", Trailer: "X-Sum" }),
      `${cm("").length.toString(16)};name=value\r\n${cm("")}\r\n0\r\nX-Sum: 1\r\n\r\n`,
    ),
  ),
  raw(
    "a chunk size that is no number",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "chunked" }),
      "zz\r\n{}\r\n0\r\n\r\n",
    ),
  ),
  raw(
    "a chunk longer than its size",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "chunked" }),
      "1\r\n{}\r\n0\r\n\r\n",
    ),
  ),
  raw(
    "gzip as transfer encoding",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "gzip, chunked" }),
      chunked(gzipSync(cm(""))),
    ),
  ),
  raw(
    "an unknown transfer encoding",
    join(head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "bogus" }), cm("")),
  ),
  raw(
    "chunks in HTTP/1.0",
    join(head(`POST ${namespaced}?dryRun=All HTTP/1.0`, { ...json, "Transfer-Encoding": "chunked" }), chunked(cm(""))),
  ),
  raw(
    "Expect: 100-continue",
    head(`POST ${namespaced}?dryRun=All HTTP/1.1`, {
      ...json,
      Expect: "100-continue",
      "Content-Length": String(cm("").length),
    }),
    cm(""),
  ),
  raw("Expect: 100-continue of a GET", head("GET /version HTTP/1.1", { Expect: "100-continue" })),
  raw(
    "Expect: 100-continue where nobody may write",
    head(`POST ${namespaced}?dryRun=All HTTP/1.1`, {
      ...json,
      Authorization: "Bearer alice-token",
      Expect: "100-continue",
      "Content-Length": "20",
    }),
  ),
  raw(
    "Expect: 100-continue with a bad token",
    head(`POST ${namespaced}?dryRun=All HTTP/1.1`, {
      ...json,
      Authorization: "Bearer nobody",
      Expect: "100-continue",
      "Content-Length": "20",
    }),
  ),
  request("an unknown expectation", "GET", "/version", { Expect: "tea" }),
  request("an upgrade to nothing", "GET", "/version", { Connection: "Upgrade", Upgrade: "tea" }),
  request("an upgrade to a web socket", "GET", "/version", {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
  }),
  request("a watch over a web socket", "GET", `${namespaced}?watch=1&timeoutSeconds=1&resourceVersion=0`, {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "12",
  }),
  request("an upgrade to HTTP/2", "GET", "/version", {
    Connection: "Upgrade, HTTP2-Settings",
    Upgrade: "h2c",
    "HTTP2-Settings": "AAMAAABkAAQAAP__",
  }),
  request("a GET with a body", "GET", "/version", json, "{}"),
  request("a HEAD with a body", "HEAD", "/version", json, "{}"),
];

const paths: readonly RawRequest[] = [
  ...[
    "/",
    "//",
    "///",
    "/.",
    "/..",
    "/../version",
    "/./version",
    "/version/",
    "//version",
    "/version//",
    "/version/..",
    "/api/../version",
    "/api/v1/../../version",
    "/%2e%2e/version",
    "/api/%2e%2e/version",
    "/api//v1",
    "/api/v1//namespaces",
    "/api/v1/namespaces//",
    "/api/v1/namespaces//configmaps",
    "/api/v1/namespaces//configmaps/there",
    "//api/v1/namespaces/raw/configmaps/there",
    "/api/v1/namespaces/raw/configmaps//there",
    "/api/v1/namespaces/raw/configmaps/there/",
    "/api/v1/namespaces/raw/configmaps/there//",
    "/api/v1/namespaces/raw/configmaps/",
    "/api/v1/namespaces/raw/configmaps/./there",
    "/api/v1/namespaces/raw/configmaps/../configmaps/there",
    "/api/v1/namespaces/raw/configmaps/..",
    "/api/v1/namespaces/raw/configmaps/.",
    "/api/v1/namespaces/raw/configmaps/%2e",
    "/api/v1/namespaces/raw/configmaps/%2E%2E",
    "/api/v1/namespaces/raw/configmaps/a%2Fb",
    "/api/v1/namespaces/raw%2Fconfigmaps/there",
    "/api%2Fv1/namespaces/raw",
    "/api/v1/namespaces/raw/configmaps/th%65re",
    "/api/v1/namespaces/raw/configmaps/%74here",
    "/api/v1/namespaces/raw/configmaps/%zz",
    "/api/v1/namespaces/raw/configmaps/%",
    "/api/v1/namespaces/raw/configmaps/%2",
    "/api/v1/namespaces/raw/configmaps/%ff",
    "/api/v1/namespaces/raw/configmaps/%C3%A9",
    "/api/v1/namespaces/raw/configmaps/%C3%28",
    "/api/v1/namespaces/raw/configmaps/%00",
    "/api/v1/namespaces/raw/configmaps/a%0Ab",
    "/api/v1/namespaces/raw/configmaps/a%20b",
    "/api/v1/namespaces/raw/configmaps/a+b",
    "/api/v1/namespaces/raw/configmaps/%25",
    "/api/v1/namespaces/raw/configmaps/%2525",
    "/api/v1/namespaces/raw/configmaps/a;b=c",
    "/api/v1/namespaces/raw/configmaps/A",
    "/api/v1/namespaces/raw/configmaps/__proto__",
    "/api/v1/namespaces/raw/configmaps/constructor",
    "/api/v1/namespaces/__proto__/configmaps",
    "/api/v1/__proto__",
    "/api/v1/constructor",
    "/apis/__proto__/v1/x",
    "/apis/constructor/v1",
    "/apis/apps/__proto__",
    "/apis/apps/__proto__/deployments",
    "/api/v1/namespaces/raw/configmaps/there/__proto__",
    "/api/v1/namespaces/raw/toString",
    "/__proto__",
    "/API/v1/namespaces",
    "/api/V1/namespaces",
    "/api/v2/namespaces",
    "/api/v1/Namespaces",
    "/apis",
    "/apis/",
    "/apis//",
    "/apis/apps",
    "/apis/apps/",
    "/apis/apps/v1/",
    "/apis/apps//v1",
    "/apis/nothing/v1",
    "/apis/nothing/v1/things",
    "/apis/apps/v2/deployments",
    "/api/v1/nothing",
    "/api/v1/namespaces/raw/nothing",
    "/api/v1/watch",
    "/api/v1/watch/",
    "/api/v1/watch/nothing",
    "/api/v1/proxy",
    "/api/v1/proxy/namespaces/raw/pods/x",
    "/apis/raw.test/v1/namespaces/raw/widgets/..",
    "/apis/raw.test/v1/namespaces/raw/widgets/%2e%2e/there",
    "/apis/raw.test//v1/namespaces/raw/widgets",
    "/apis/raw.test/v1/namespaces/raw/widgets/",
    "/apis/raw.test/v1/namespaces/raw/widgets/there/",
    "/apis/raw.test/v1/namespaces/raw/widgets//there",
    "/apis/raw.test/v1/namespaces/raw/widgets/%ff",
    "/apis/raw.test/v1/namespaces/raw/widgets/a%2Fb",
    "/api/v1/namespaces/raw/configmaps/there/status",
    "/api/v1/namespaces/raw/configmaps/there/scale",
    "/api/v1/namespaces/raw/configmaps/there/a/b/c",
    "/api/v1/namespaces/raw/pods/x/log/y",
    "/api/v1/namespaces/raw/status",
    "/api/v1/namespaces/raw/finalize",
    "/api/v1/namespaces/raw/status/x",
    "/api/v1/nodes/x/proxy/../../y",
    "/favicon.ico",
    "/robots.txt",
    "/index.html",
    "/ui",
    "/swagger.json",
    "/swaggerapi",
    "/swagger-2.0.0.json",
  ].map((target) => get(target)),
  ...["HEAD", "OPTIONS", "TRACE", "PUT", "POST", "PATCH", "DELETE", "PROPFIND", "PURGE", "LINK"].flatMap((method) =>
    [
      "/",
      "/version",
      "/healthz",
      "/api",
      "/apis/apps/v1",
      "/openapi/v3",
      "/metrics",
      "/nothing",
      "/api/v1/namespaces/raw/configmaps",
      "/api/v1/namespaces/raw/configmaps/there",
      "/api/v1/configmaps",
      widgets,
      `${widgets}/there`,
      "/api/v1/namespaces/raw/pods/x/log",
    ]
      .filter(
        (target) =>
          method !== "DELETE" || !target.startsWith("/api") || !target.includes("raw") || target.endsWith("/log"),
      )
      .map((target) => request(`${method} ${target}`, method, target)),
  ),
  request("a method in lower case", "get", "/version"),
  request("a custom method", "BREW", "/version"),
  request("a method with an unusual character", "G(T", "/version"),
  ...[
    "?watch=1&watch=0&timeoutSeconds=1",
    "?limit=1&limit=x",
    "?limit=%31",
    "?limit=%zz",
    "?%zz=1",
    "?limit=1;continue=x",
    "?=",
    "?&&&",
    "?limit",
    "?__proto__=1&constructor=2",
    "?labelSelector=__proto__",
    "?labelSelector=%00",
    "?labelSelector=a%0Ab",
    "?fieldSelector=__proto__=x",
    "?fieldSelector=metadata.name=__proto__",
    "?continue=__proto__",
    "?resourceVersion=%2B1",
    "?resourceVersion=0x1",
    "?limit=9223372036854775808",
    "?timeoutSeconds=-1",
    "?labelSelector=" + "a".repeat(5000),
    "?labelSelector=" + Array.from({ length: 500 }, (_, at) => `k${at}!=v`).join(","),
  ].map((query) => get(`${namespaced}${query}`)),
];

const bodies: readonly RawRequest[] = [
  ...[
    "",
    "null",
    "[]",
    '"x"',
    "1",
    "true",
    "{",
    "}",
    "{}{}",
    "{} x",
    "[{}]",
    '{"a":}',
    '{"a" 1}',
    "{'a':1}",
    '{"a":1,}',
    "{a:1}",
    "\ufeff{}",
    "\0",
    "NaN",
    '{"a":NaN}',
    '{"a":01}',
    '{"a":1e999}',
    '{"a":"\\x"}',
    '{"a":"\\ud800"}',
    '{"a":"\t"}',
    "// comment\n{}",
  ].map((body) => post(`JSON ${JSON.stringify(body)}`, body)),
  post(
    "JSON of bytes that are no UTF-8",
    join(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":{"a":"',
      Uint8Array.of(0xff, 0xfe),
      '"}}',
    ),
  ),
  post("JSON in UTF-16", Buffer.from(cm(""), "utf16le")),
  post("duplicate keys", cm(',"data":{"a":"1","a":"2"},"data":{"b":"1"}')),
  post(
    "duplicate keys, strict",
    cm(',"data":{"a":"1","a":"2"},"data":{"b":"1"}'),
    json,
    `${namespaced}?dryRun=All&fieldValidation=Strict`,
  ),
  post(
    "duplicate keys in other letters",
    cm(',"data":{"a":"1"},"Data":{"b":"1"}'),
    json,
    `${namespaced}?dryRun=All&fieldValidation=Strict`,
  ),
  post(
    "duplicate keys by escapes",
    cm(',"data":{"a":"1","\\u0061":"2"}'),
    json,
    `${namespaced}?dryRun=All&fieldValidation=Strict`,
  ),
  post(
    "__proto__ as a field",
    cm(',"__proto__":{"data":{"x":"y"}}'),
    json,
    `${namespaced}?dryRun=All&fieldValidation=Strict`,
  ),
  post(
    "__proto__ as a key of data",
    cm(',"data":{"__proto__":"x","constructor":"y","toString":"z","hasOwnProperty":"q"}'),
  ),
  post(
    "__proto__ as a label",
    '{"metadata":{"name":"new","labels":{"__proto__":"x","constructor":"y"},"annotations":{"__proto__":"x","constructor":"y"}}}',
  ),
  post("__proto__ as a name", '{"metadata":{"name":"__proto__"}}'),
  post("constructor as a name", '{"metadata":{"name":"constructor"}}'),
  post(
    "__proto__ in a custom resource",
    custom(',"spec":{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}'),
    json,
    `${widgets}?dryRun=All`,
  ),
  patch(
    "__proto__ in a merge patch",
    "application/merge-patch+json",
    '{"data":{"__proto__":"x","constructor":"y"},"__proto__":{"data":null}}',
  ),
  patch(
    "__proto__ in a strategic patch",
    "application/strategic-merge-patch+json",
    '{"data":{"__proto__":"x","constructor":"y"},"__proto__":{"data":null}}',
  ),
  patch(
    "__proto__ in a JSON patch",
    "application/json-patch+json",
    '[{"op":"add","path":"/data/__proto__","value":"x"},{"op":"add","path":"/__proto__/polluted","value":"x"}]',
  ),
  patch(
    "__proto__ in an apply",
    "application/apply-patch+yaml",
    '{"apiVersion":"v1","kind":"ConfigMap","data":{"__proto__":"x","constructor":"y"}}',
    `${namespaced}/there?dryRun=All&fieldManager=raw`,
  ),
  ...[1000, 9999, 10_001, 100_000].flatMap((depth) => [
    post(`JSON nested ${depth} deep`, cm(`,"data":${nested("[", "1", "]", depth)}`)),
    post(`JSON nested ${depth} deep in an unknown field`, cm(`,"x":${nested('{"a":', "1", "}", depth)}`)),
    post(
      `JSON nested ${depth} deep in a custom resource`,
      custom(`,"spec":${nested('{"a":', "1", "}", depth)}`),
      json,
      `${widgets}?dryRun=All`,
    ),
    post(
      `YAML nested ${depth} deep`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: ${nested("[", "1", "]", depth)}\n`,
      yaml,
    ),
    // A real server takes 15 seconds and more for deep patches, because its time grows with the square of the depth.
    ...(depth === 9999
      ? []
      : [
          patch(
            `a merge patch nested ${depth} deep`,
            "application/merge-patch+json",
            `{"x":${nested('{"a":', "1", "}", depth)}}`,
          ),
          patch(
            `a merge patch of a custom resource nested ${depth} deep`,
            "application/merge-patch+json",
            `{"spec":${nested('{"a":', "1", "}", depth)}}`,
            `${widgets}/there?dryRun=All`,
          ),
        ]),
    patch(
      `a JSON patch nested ${depth} deep`,
      "application/json-patch+json",
      `[{"op":"add","path":"/data/x","value":${nested("[", "1", "]", depth)}}]`,
    ),
    post(
      `CBOR nested ${depth} deep`,
      join(Uint8Array.of(0xd9, 0xd9, 0xf7), new Uint8Array(depth).fill(0x81), Uint8Array.of(0x01)),
      binary,
    ),
    post(
      `CBOR nested ${depth} deep in an unknown field`,
      join(Uint8Array.of(0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x78), new Uint8Array(depth).fill(0x81), Uint8Array.of(0x01)),
      binary,
    ),
  ]),
  post("a body of 3 MiB and a byte", `{${" ".repeat(3 * MiB - 1)}}`),
  post("a body of 3 MiB", `${cm("").slice(0, -1)}${" ".repeat(3 * MiB - cm("").length)}}`),
  raw(
    "chunks of 4 MiB",
    join(
      head(`POST ${namespaced}?dryRun=All HTTP/1.1`, { ...json, "Transfer-Encoding": "chunked" }),
      chunked(...Array.from({ length: 64 }, () => " ".repeat(64 * 1024))),
    ),
  ),
  patch("a patch of 3 MiB and a byte", "application/merge-patch+json", `{${" ".repeat(3 * MiB - 1)}}`),
  patch(
    "an apply of 3 MiB and a byte",
    "application/apply-patch+yaml",
    `{${" ".repeat(3 * MiB - 1)}}`,
    `${namespaced}/there?dryRun=All&fieldManager=raw`,
  ),
  request(
    "options of a deletion of 3 MiB and a byte",
    "DELETE",
    `${namespaced}/there?dryRun=All`,
    json,
    `{${" ".repeat(3 * MiB - 1)}}`,
  ),
  post("a value beyond the limit of a ConfigMap", cm(`,"data":{"a":"${"x".repeat(1.5 * MiB)}"}`)),
  post("annotations beyond their limit", `{"metadata":{"name":"new","annotations":{"a":"${"x".repeat(300 * 1024)}"}}}`),
  ...["gzip", "deflate", "br", "identity", "bogus", "gzip, gzip", ""].map((encoding) =>
    post(`Content-Encoding: ${encoding}`, cm(""), { ...json, "Content-Encoding": encoding }),
  ),
  post("a body in gzip", gzipSync(cm("")), { ...json, "Content-Encoding": "gzip" }),
  post("a gzip bomb", gzipSync(Buffer.alloc(200 * MiB, 0x20)), { ...json, "Content-Encoding": "gzip" }),
  post("a gzip bomb, as YAML", gzipSync(Buffer.alloc(20 * MiB, 0x20)), { ...yaml, "Content-Encoding": "gzip" }),
  patch("a patch in gzip", "application/merge-patch+json", gzipSync("{}")),
  post("YAML aliases", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata:\n  a: &x hello\n  b: *x\n", yaml),
  post(
    "YAML with aliases that explode",
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
      .split("")
      .map((name, at) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${"abcdefgh"[at]!}`).join(",")}]`)
      .join("\n")}\n`,
    yaml,
  ),
  post(
    "YAML with aliases of mappings that explode",
    `a: &a {x: 1, y: 1}\n${"bcdefghijklmnopqrstuvwxyz"
      .split("")
      .map(
        (name, at) =>
          `${name}: &${name} {x: *${"abcdefghijklmnopqrstuvwxy"[at]!}, y: *${"abcdefghijklmnopqrstuvwxy"[at]!}}`,
      )
      .join("\n")}\n`,
    yaml,
  ),
  patch(
    "an apply with aliases that explode",
    "application/apply-patch+yaml",
    `apiVersion: v1\nkind: ConfigMap\na: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
      .split("")
      .map((name, at) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${"abcdefgh"[at]!}`).join(",")}]`)
      .join("\n")}\n`,
    `${namespaced}/there?dryRun=All&fieldManager=raw`,
  ),
  post("YAML with a recursive alias", "a: &a [*a]\n", yaml),
  post("YAML with a merge key", "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: new}\nmore: {<<: *m}\n", yaml),
  post("YAML with an unknown anchor", "a: *b\n", yaml),
  post("YAML with an unknown tag", "a: !!bogus x\n", yaml),
  post(
    "YAML with a tag of binary",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: !!binary aGVsbG8=}\n",
    yaml,
  ),
  post(
    "YAML with a key that is no text",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {1: a, true: b, 1.5: c}\n",
    yaml,
  ),
  post(
    "YAML with a key that is null",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {null: b}\n",
    yaml,
  ),
  post(
    "YAML with a key that is a list",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {[a]: b}\n",
    yaml,
  ),
  post("YAML with a tab", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: new\n", yaml),
  post(
    "YAML of two documents",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: second}\n",
    yaml,
  ),
  post("YAML with an empty document first", "---\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n", yaml),
  post(
    "YAML that begins with a document's mark",
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n",
    yaml,
  ),
  post(
    "YAML with a document's end and garbage",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n...\n{[\n",
    yaml,
  ),
  post(
    "YAML of a second document that is broken",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n---\n{[\n",
    yaml,
  ),
  post("YAML with a directive", "%YAML 1.2\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n", yaml),
  post(
    "YAML with a directive of 2.0",
    "%YAML 2.0\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n",
    yaml,
  ),
  post("two JSON documents as YAML", `${cm("")}\n---\n${cm("")}\n`, yaml),
  post("two JSON documents as YAML without a separator", `${cm("")}\n${cm("")}\n`, yaml),
  post(
    "YAML of two documents, strict",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n---\napiVersion: v1\n",
    yaml,
    `${namespaced}?dryRun=All&fieldValidation=Strict`,
  ),
  post(
    "YAML of two documents to a custom resource",
    "apiVersion: raw.test/v1\nkind: Widget\nmetadata: {name: new}\n---\napiVersion: v1\n",
    yaml,
    `${widgets}?dryRun=All`,
  ),
  patch(
    "an apply of two documents",
    "application/apply-patch+yaml",
    "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n---\napiVersion: v1\nkind: ConfigMap\ndata: {c: d}\n",
    `${namespaced}/there?dryRun=All&fieldManager=raw`,
  ),
  post("empty YAML", "", yaml),
  post("YAML with only a comment", "# nothing\n", yaml),
  post("YAML with only text", "hello there\n", yaml),
  post("a YAML list", "- a\n- b\n", yaml),
  post("YAML with a control character", 'a: "\u0001"\nb: \u0001\n', yaml),
  post(
    "YAML in UTF-16",
    join(Uint8Array.of(0xff, 0xfe), Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n", "utf16le")),
    yaml,
  ),
  post(
    "YAML of bytes that are no UTF-8",
    join('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: "', Uint8Array.of(0xff, 0xfe), '"}\n'),
    yaml,
  ),
  post(
    "YAML with numbers of all kinds",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: 0x10, b: 0o7, c: 1_000, d: .inf, e: 2001-01-01, f: yes, g: ~}\n",
    yaml,
  ),
  ...(
    [
      ["empty", []],
      ["a tag alone", [0xd9, 0xd9, 0xf7]],
      ["no tag", [0xa0]],
      ["an empty map", [0xd9, 0xd9, 0xf7, 0xa0]],
      ["a list", [0xd9, 0xd9, 0xf7, 0x80]],
      ["a number", [0xd9, 0xd9, 0xf7, 0x01]],
      ["null", [0xd9, 0xd9, 0xf7, 0xf6]],
      ["cut short", [0xd9, 0xd9, 0xf7, 0xa1, 0x41]],
      ["a length of 2^32", [0xd9, 0xd9, 0xf7, 0x5b, 0, 0, 0, 1, 0, 0, 0, 0]],
      ["a list of 2^60", [0xd9, 0xd9, 0xf7, 0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0]],
      ["a key twice", [0xd9, 0xd9, 0xf7, 0xa2, 0x41, 0x61, 0x01, 0x41, 0x61, 0x02]],
      ["a key that is a number", [0xd9, 0xd9, 0xf7, 0xa1, 0x01, 0x01]],
      ["text that is no UTF-8", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0x61, 0xff]],
      ["NaN", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xf9, 0x7e, 0x00]],
      ["infinity", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xf9, 0x7c, 0x00]],
      ["undefined", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xf7]],
      ["a simple value", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xe0]],
      ["an unknown tag", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xc9, 0x01]],
      ["a big number", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
      [
        "an unsigned number of 64 bits",
        [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      ],
      ["an indefinite map", [0xd9, 0xd9, 0xf7, 0xbf, 0xff]],
      ["an indefinite map without end", [0xd9, 0xd9, 0xf7, 0xbf]],
      ["more after it", [0xd9, 0xd9, 0xf7, 0xa0, 0xa0]],
      ["a break", [0xff]],
      ["reserved bits", [0xd9, 0xd9, 0xf7, 0x1c]],
      ["a time", [0xd9, 0xd9, 0xf7, 0xa1, 0x41, 0x61, 0xc1, 0x01]],
    ] as const
  ).map(([what, bytes]) => post(`CBOR: ${what}`, Uint8Array.from(bytes), binary)),
  post(
    "CBOR with __proto__",
    cbor().encode(
      JSON.parse(
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":{"__proto__":"x","constructor":"y"}}',
      ) as object,
    ),
    binary,
  ),
  post("CBOR as JSON", Uint8Array.of(0xd9, 0xd9, 0xf7, 0xa0)),
  post("JSON as CBOR", cm(""), binary),
  post("JSON as Protobuf", cm(""), { "Content-Type": "application/vnd.kubernetes.protobuf" }),
  post("empty Protobuf", "", { "Content-Type": "application/vnd.kubernetes.protobuf" }),
  post("Protobuf with only its prefix", Uint8Array.of(0x6b, 0x38, 0x73, 0), {
    "Content-Type": "application/vnd.kubernetes.protobuf",
  }),
  post("truncated Protobuf", Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, 0x7f), {
    "Content-Type": "application/vnd.kubernetes.protobuf",
  }),
  post(
    "a Protobuf with a length beyond all bounds",
    Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
    { "Content-Type": "application/vnd.kubernetes.protobuf" },
  ),
  post(
    "a Protobuf to a custom resource",
    Uint8Array.of(0x6b, 0x38, 0x73, 0),
    { "Content-Type": "application/vnd.kubernetes.protobuf" },
    `${widgets}?dryRun=All`,
  ),
  patch(
    "a JSON patch of 10,001 operations",
    "application/json-patch+json",
    `[${Array.from({ length: 10_001 }, () => '{"op":"test","path":"/kind","value":"ConfigMap"}').join(",")}]`,
  ),
  patch(
    "a JSON patch that doubles what it copies",
    "application/json-patch+json",
    `[{"op":"add","path":"/data/a","value":{"x":["${"y".repeat(1000)}"]}},${Array.from({ length: 40 }, () => '{"op":"copy","from":"/data","path":"/data/b"}').join(",")}]`,
  ),
  patch("a patch that is not JSON", "application/merge-patch+json", "{"),
  patch("a patch that is a list", "application/merge-patch+json", "[]"),
  patch("a patch that is null", "application/merge-patch+json", "null"),
  patch("an empty patch", "application/merge-patch+json", ""),
  patch("a JSON patch that is not a list", "application/json-patch+json", "{}"),
  patch("a strategic patch that is a string", "application/strategic-merge-patch+json", '"x"'),
  patch("a patch of no type", "(none)", "{}"),
  patch("a patch of type text/plain", "text/plain", "{}"),
  post("a multipart body", "--x\r\n\r\n{}\r\n--x--\r\n", { "Content-Type": "multipart/form-data; boundary=x" }),
  post("a form", "a=b", { "Content-Type": "application/x-www-form-urlencoded" }),
];

const credentials: readonly RawRequest[] = [
  ...[
    "Bearer",
    "Bearer ",
    "Bearer  admin-token",
    "bearer admin-token",
    "BEARER admin-token",
    "Bearer admin-token x",
    "Bearer admin-token ",
    "Basic YWRtaW46YWRtaW4=",
    "Basic !!!",
    "Token admin-token",
    "Bearer nobody",
    "Bearer a.b.c",
    "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMifQ.",
    "Negotiate x",
    "",
    "(none)",
  ].map((authorization) =>
    request(`Authorization: ${authorization}`, "GET", `${namespaced}/there`, { Authorization: authorization }),
  ),
  raw(
    "two authorizations",
    head(`GET ${namespaced}/there HTTP/1.1`, {}).replace("\r\n", "\r\nAuthorization: Bearer nobody\r\n"),
  ),
  ...(
    [
      ["Impersonate-User", ""],
      ["Impersonate-User", "alice"],
      ["Impersonate-Group", "x"],
      ["Impersonate-Uid", "x"],
      ["Impersonate-Extra-%ff", "x"],
      ["Impersonate-Extra-", "x"],
      ["Impersonate-User", "system:serviceaccount:a"],
      ["impersonate-user", "é"],
    ] as const
  ).map(([name, value]) => request(`${name}: ${value}`, "GET", `${namespaced}/there`, { [name]: value })),
  request("a token in the query", "GET", `${namespaced}/there?access_token=admin-token`, { Authorization: "(none)" }),
  request("an audit ID", "GET", "/version", { "Audit-ID": "my-own" }),
  request("an audit ID of 1,000 bytes", "GET", "/version", { "Audit-ID": "x".repeat(1000) }),
  request("an audit ID with unusual characters", "GET", "/version", { "Audit-ID": "a b/c" }),
  request("an empty audit ID", "GET", "/version", { "Audit-ID": "" }),
  request("a cookie", "GET", "/version", { Cookie: "a=b" }),
  request("a forwarded address", "GET", "/version", { "X-Forwarded-For": "1.2.3.4", "X-Real-IP": "not an address" }),
  request("a method override", "POST", "/version", { "X-HTTP-Method-Override": "GET" }),
  ...["bytes=0-10", "bytes=99999-"].map((range) =>
    request(`Range: ${range}`, "GET", `${namespaced}/there`, { Range: range }),
  ),
  request("If-None-Match: *", "GET", `${namespaced}/there`, { "If-None-Match": "*" }),
  request("If-Match: *", "GET", `${namespaced}/there`, { "If-Match": "*" }),
  ...["gzip", "GZIP", "gzip;q=0", "deflate", "*", "identity;q=0", "bogus", "gzip, deflate, br"].map((encoding) =>
    request(`Accept-Encoding: ${encoding}`, "GET", "/openapi/v3", { "Accept-Encoding": encoding }),
  ),
];

const pages = ["/.well-known/openid-configuration", "/openid/v1/jwks"];
const pageTypes = ["text/plain", "*/*", "application/json", "application/yaml", "application/cbor"];

/** Endpoints that describe the server. */
const endPoints: readonly RawRequest[] = [
  ...[
    "/debug/",
    "/debug/api_priority_and_fairness/dump_queues",
    "/debug/api_priority_and_fairness/nothing",
    "/metrics/",
    "/metrics/nothing",
    "/metrics/cadvisor",
    ...["healthz", "livez", "readyz"].flatMap((root) =>
      [
        "",
        "/",
        "/ping",
        "/nothing",
        "/etcd?verbose",
        "/poststarthook",
        "?verbose",
        "?verbose=false",
        "?exclude=nothing",
        "?verbose&exclude=ping",
        "?verbose&exclude=etcd&exclude=nothing",
        "/poststarthook/rbac/bootstrap-roles",
        "/shutdown",
        "/informer-sync",
      ].map((rest) => `/${root}${rest}`),
    ),
    "/.well-known/",
    "/.well-known/x",
    "/.well-known/openid-configuration/",
    "/openid/v1/jwks/",
    "/openid/v1",
    "/logs",
    "/version/",
    "/openapi",
    "/openapi/v2/",
    "/openapi/v3/",
    "/openapi/v3/api/v1/",
    "/openapi/v3/nothing",
    "/configz",
    "/validate",
  ].map((target) => get(target)),
  ...pages.flatMap((target) => pageTypes.map((accept) => get(target, { Accept: accept }))),
  ...["Bearer alice-token", "(none)"].flatMap((authorization) =>
    [
      ...pages,
      "/metrics",
      "/healthz",
      "/livez/ping",
      "/readyz",
      "/version",
      "/openapi/v2",
      "/api",
      "/apis",
      "/apis/apps",
      "/",
      "/nothing",
    ].map((target) => get(target, { Authorization: authorization })),
  ),
  ...["HEAD", "POST", "OPTIONS", "PUT", "DELETE"].flatMap((method) =>
    [...pages, "/healthz/ping", "/livez", "/debug/api_priority_and_fairness/dump_queues"].map((target) =>
      request(`${method} ${target} as an administrator`, method, target),
    ),
  ),
];

const shapes = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"].flatMap((as) =>
  ["v1", "v1beta1"].map((version) => `as=${as};v=${version};g=meta.k8s.io`),
);

const bogus = [
  "application/json;as=Bogus;g=meta.k8s.io;v=v1",
  "application/json;as=Table;g=x;v=v1",
  "application/json;as=Table;g=meta.k8s.io;v=v9",
  "application/json;as=Table",
  "application/json;g=meta.k8s.io;v=v1",
  "text/html",
  "application/vnd.kubernetes.protobuf",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
];

/** Watches of every form and encoding. Those in Protobuf and CBOR are compared only by the type of the answer. */
const watches: readonly RawRequest[] = [
  ...[namespaced, widgets, `${widgets}/there`].flatMap((target) =>
    bogus.map((accept) => get(target, { Accept: accept })),
  ),
  ...[`${namespaced}?watch=1&fieldSelector=metadata.name=there`, `${widgets}?watch=1`].flatMap((target) => [
    ...["", "stream=watch;"].flatMap((stream) =>
      [
        "application/json",
        "application/yaml",
        "application/cbor",
        "application/cbor-seq",
        "application/vnd.kubernetes.protobuf",
      ].flatMap((type) =>
        shapes.map((shape) =>
          request(
            `watch ${target} as ${type};${stream}${shape}`,
            "GET",
            `${target}&timeoutSeconds=1&resourceVersion=0`,
            { Accept: `${type};${stream}${shape}` },
          ),
        ),
      ),
    ),
    ...["None", "Object", "Metadata", "bogus"].map((include) =>
      request(
        `watch ${target} as a table with ${include}`,
        "GET",
        `${target}&timeoutSeconds=1&resourceVersion=0&includeObject=${include}`,
        { Accept: `application/json;${shapes[0]!}` },
      ),
    ),
    request(`watch ${target} as a table or else whole`, "GET", `${target}&timeoutSeconds=1&resourceVersion=0`, {
      Accept: `application/yaml;${shapes[0]!},application/json`,
    }),
    request(
      `watch ${target} from the start with its end told, as a table`,
      "GET",
      `${target}&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { Accept: `application/json;${shapes[0]!}` },
    ),
    request(
      `watch ${target} from the start with its end told, as metadata`,
      "GET",
      `${target}&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { Accept: `application/json;${shapes[2]!}` },
    ),
  ]),
];

/**
 * Requests that no well-behaved client sends, unusual ones, and all endpoints and forms. None of them changes the
 * server's state.
 */
export const rawRequests: readonly RawRequest[] = [
  ...framing,
  ...paths,
  ...bodies,
  ...credentials,
  ...endPoints,
  ...watches,
];

/** Objects that both servers have before the first request. */
export const rawObjects: readonly (readonly [path: string, object: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: "raw" } }],
  [namespaced, { metadata: { name: "there" }, data: { a: "1" } }],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      metadata: { name: "widgets.raw.test" },
      spec: {
        group: "raw.test",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
              },
            },
          },
        ],
      },
    },
  ],
];

/** Custom resource to create after its definition is established. */
export const rawWidget: readonly [path: string, object: object] = [
  widgets,
  { apiVersion: "raw.test/v1", kind: "Widget", metadata: { name: "there" } },
];
