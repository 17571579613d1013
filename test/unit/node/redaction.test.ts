import type { IncomingMessage, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { getResponseInfo } from "../../../src/client/call/response-info.js";
import { createClient } from "../../../src/client/client.js";
import { bearerToken } from "../../../src/interceptors/index.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import type { ConnectOptions } from "../../../src/node/connection/connect.js";
import { connect } from "../../../src/node/connection/connect.js";
import { createUndiciTransport } from "../../../src/node/transport/undici-transport.js";
import { pki, pkiData, serve } from "./local-server.js";

const token = "Zk4-t0k_en.Wq9xY7vF2qR8RvL2nT5sJ1hB6m";
const password = 'p4ss "wörd" & more/less%20';
const basic = Buffer.from(`jane:${password}`).toString("base64");

const idToken = [
  { alg: "RS256" },
  { iss: "https://login.example", aud: "cli", exp: 4_102_444_800 },
  "Zk4-sIgNaTuRe_9xY7",
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");
const clientKey = pki("client.key").replace(/-----[^-]*-----|\s/g, "");

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const encodings: readonly (readonly [string, (text: string) => string])[] = [
  ["as it is", (text) => text],
  ["in quotation marks", (text) => JSON.stringify(text)],
  ["URL-encoded", encodeURIComponent],
  ["in base64", base64],
  ["in URL-safe base64", (text) => Buffer.from(text).toString("base64url")],
  ["in base64 with its header", (text) => base64(`authorization: Bearer ${text}`)],
  ["in hexadecimal", (text) => Buffer.from(text).toString("hex")],
  [
    "with \\u escapes",
    (text) => text.replace(/[^a-z]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ],
];

type Answer = (shown: string, response: ServerResponse) => void;
const json = (response: ServerResponse, code: number, body: unknown): void =>
  void response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
const status = (fields: object): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  code: 403,
  reason: "Forbidden",
  message: "no",
  ...fields,
});

const places: readonly (readonly [string, Answer])[] = [
  ["the message of a Status", (shown, response) => json(response, 403, status({ message: `no: ${shown}` }))],
  ["the reason of a Status", (shown, response) => json(response, 403, status({ reason: shown }))],
  [
    "the details of a Status",
    (shown, response) => json(response, 403, status({ details: { name: shown, uid: `a${shown}` } })),
  ],
  [
    "the causes of a Status",
    (shown, response) => json(response, 422, status({ details: { causes: [{ message: shown, field: shown }] } })),
  ],
  ["unknown fields of a Status", (shown, response) => json(response, 403, status({ [`x${shown}`]: { y: [shown] } }))],
  ["the metadata of a Status", (shown, response) => json(response, 403, status({ metadata: { continue: shown } }))],
  ["a failed Status with the code 200", (shown, response) => json(response, 200, status({ message: shown }))],
  [
    "an object of another kind",
    (shown, response) => json(response, 200, { kind: shown, apiVersion: "v1", metadata: {} }),
  ],
  ["a text", (shown, response) => response.writeHead(502).end(`bad gateway: ${shown}`)],
  ["a text that is cut in the middle", (shown, response) => response.writeHead(502).end(`${"x".repeat(240)} ${shown}`)],
  ["a page", (shown, response) => response.writeHead(502, { "content-type": "text/html" }).end(`<p>${shown}</p>`)],
  [
    "invalid JSON",
    (shown, response) => response.writeHead(200, { "content-type": "application/json" }).end(`{"a": ${shown}`),
  ],
  [
    "headers",
    (shown, response) => {
      const text = encodeURIComponent(shown);
      response.setHeader("x-kubernetes-pf-flowschema-uid", text);
      response.setHeader("audit-id", text);
      response.setHeader("warning", `299 - "${text}"`);
      json(response, 403, status({}));
    },
  ],
  [
    "the host of a redirect",
    (shown, response) =>
      response.writeHead(307, { location: `https://${encodeURIComponent(shown).replaceAll("%", "-")}/` }).end(),
  ],
];

const user = (fields: object, url: string): ConnectOptions => ({
  kubeconfigText: JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: url } }],
    users: [{ name: "u", user: fields }],
  }),
  env: { PATH: process.env["PATH"] },
  stdinAvailable: false,
  execStderr: "ignore",
});

const plugin = {
  apiVersion: "client.authentication.k8s.io/v1",
  interactiveMode: "Never",
  command: process.execPath,
  args: [
    "-e",
    `console.log('{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token}"}}')`,
  ],
};

type Options = Pick<ConnectOptions, "onWarning">;
/** Clients with a credential. The server shows the secret. */
const credentials: readonly (readonly [
  string,
  string,
  (url: string, options: Options) => Promise<ReturnType<typeof createClient>>,
])[] = [
  ["a token", token, (url, options) => connect({ ...user({ token }, url), ...options, retry: false })],
  [
    "a password",
    password,
    (url, options) => connect({ ...user({ username: "jane", password }, url), ...options, retry: false }),
  ],
  [
    "a login",
    basic,
    (url, options) => connect({ ...user({ username: "jane", password }, url), ...options, retry: false }),
  ],
  ["a plugin's token", token, (url, options) => connect({ ...user({ exec: plugin }, url), ...options, retry: false })],
  [
    "an interceptor's token",
    token,
    (server, options) =>
      Promise.resolve(
        createClient({
          transport: createUndiciTransport({ server }),
          interceptors: [bearerToken(token)],
          ...options,
          retry: false,
        }),
      ),
  ],
  [
    "a header of the client",
    token,
    (server, options) =>
      Promise.resolve(
        createClient({
          transport: createUndiciTransport({ server }),
          headers: { "X-Auth-Token": token },
          ...options,
          retry: false,
        }),
      ),
  ],
];

/** Everything that a program could print of an error. */
function shownBy(error: unknown): string {
  const info = getResponseInfo(error as object);
  const headers = ["audit-id", "warning", "x-kubernetes-pf-flowschema-uid"].map((name) => info?.headers.get(name));
  const own = inspect(error, { depth: 50, showHidden: true, maxStringLength: null }) + JSON.stringify(error);
  return `${own}${String((error as Error).stack)}${JSON.stringify([info, headers])}`;
}

/** The parts of ten characters of a secret, and of its encodings. */
function partsOf(secret: string): string[] {
  const forms = [
    // Without the header's own name.
    ...encodings.map(([name, encode]) => encode(secret).slice(name.includes("header") ? 30 : 0)),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  ];
  return forms.flatMap((form) => Array.from({ length: form.length - 9 }, (_, at) => form.slice(at, at + 10)));
}

describe.each(credentials)("%s that a server repeats stays out of the error", (_credential, secret, open) => {
  it.each(places)("when it is in %s, in any encoding", async (_place, answer) => {
    const parts = partsOf(secret);
    let encode = encodings[0]![1];
    await using server = await serve((_request, response) => answer(encode(secret), response));
    const warnings: string[] = [];
    await using client = await open(server.url, { onWarning: ({ text }) => warnings.push(text) });
    const pods = client.resource(Pod).namespace("web");
    for (const [name, each] of encodings) {
      encode = each;
      const calls = [
        () => pods.get("a"),
        () => pods.list(),
        () => client.request({ path: "/api" }).then((response) => response.json()),
        () => pods.watch().next(),
        () => pods.listChunks().next(),
      ];
      for (const call of calls) {
        const error = await call().catch((reason: unknown) => reason);
        // Some of these responses are valid for some calls.
        const shown = (error instanceof Error ? shownBy(error) : "") + warnings.join("");
        expect([name, parts.filter((part) => shown.includes(part))]).toEqual([name, []]);
      }
    }
  });
});

it.each(encodings)("a token %s in an ERROR event of a watch stays out of the error", async (_name, encode) => {
  const event = { type: "ERROR", object: status({ message: encode(token), reason: encode(token) }) };
  await using server = await serve((_request, response) => json(response, 200, event));
  await using client = await connect({ ...user({ token }, server.url), retry: false });
  const error = await client
    .resource(Pod)
    .watch()
    .next()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "StatusError" });
  expect(partsOf(token).filter((part) => shownBy(error).includes(part))).toEqual([]);
});

it.each(encodings)("a token %s in a refused WebSocket stays out of the error", async (_name, encode) => {
  await using server = await serve((_request, response) => json(response, 403, status({ message: encode(token) })));
  server.server.on("upgrade", (_request: IncomingMessage, socket) => {
    const body = JSON.stringify(status({ message: encode(token) }));
    socket.end(
      `HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  await using client = await connect({ ...user({ token }, server.url), retry: false });
  const error = await client.openWebSocket({ path: "/api", protocols: ["a"] }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "StatusError", code: 403 });
  expect(partsOf(token).filter((part) => shownBy(error).includes(part))).toEqual([]);
});

const idTokenLogin = {
  "auth-provider": {
    name: "oidc",
    config: { "idp-issuer-url": "https://login.example", "client-id": "cli", "id-token": idToken },
  },
};
const keyLogin = { "client-certificate-data": pkiData("client.crt"), "client-key-data": pkiData("client.key") };

describe.each([
  ["an OIDC id token", idTokenLogin, idToken],
  ["a client key", keyLogin, clientKey],
])("%s in a response", (_what, login, secret) => {
  it.each(encodings)("%s stays out of the error", async (_name, encode) => {
    const repeated = encode(secret);
    await using server = await serve((_request, response) => json(response, 403, status({ message: repeated })));
    await using client = await connect({ ...user(login, server.url), retry: false });
    const error = await client
      .resource(Pod)
      .list()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "StatusError", code: 403 });
    const shown = shownBy(error);
    expect(shown).toContain("[redacted]");
    expect(partsOf(secret).filter((part) => shown.includes(part))).toEqual([]);
  });
});

it.each([
  ["is another client's", pki("client2.key"), "does not match the client certificate"],
  ["is cut short", pki("client.key").slice(0, 100), "contains no usable PEM key"],
])("a client key that %s stays out of the error", async (_name, key, message) => {
  const login = { ...keyLogin, "client-key-data": Buffer.from(key).toString("base64") };
  const error = await connect({ ...user(login, "https://127.0.0.1:1"), retry: false })
    .then((client) => client.resource(Pod).list())
    .catch((reason: unknown) => reason);
  expect((error as Error).message).toContain(message);
  const shown = shownBy(error);
  // The first characters only state the algorithm, as in every key.
  const secret = key.replace(/-----[^-]*-----|\s/g, "").slice(40);
  expect(partsOf(secret).filter((part) => shown.includes(part))).toEqual([]);
});
