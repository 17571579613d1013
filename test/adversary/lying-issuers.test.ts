import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AuthenticationError } from "../../src/apiserver/authentication/authenticators/authenticator.js";
import { createIssuerKeys } from "../../src/apiserver/authentication/jwt/issuer-keys.js";
import { nodeIssuerFetch } from "../../src/apiserver/node/issuer-fetch.js";
import type { Clock } from "../../src/internal/clock.js";
import { createOidcCredential } from "../../src/node/credentials/oidc.js";
import { flood } from "../support/flood.js";
import { createVirtualClock } from "../support/virtual-clock.js";
import { type LocalServer, pki, pkiData, serve, until } from "../unit/node/local-server.js";

/** Answer of an issuer. `url` is its own origin. */
type Answer = (response: ServerResponse, url: string) => void;

const json =
  (make: (url: string) => string, status = 200): Answer =>
  (response, url) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(make(url));
const endless =
  (piece: string): Answer =>
  (response) => {
    response.writeHead(200);
    flood(response as unknown as Duplex, Buffer.from(piece.repeat(10_000)), 64 * 1024 * 1024);
  };
const silent: Answer = () => undefined;
const trickle: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write("{");
};
const elsewhere: Answer = (response) => void response.writeHead(302, { location: "https://evil.test/" }).end();
const deep = "[".repeat(100_000) + "]".repeat(100_000);
const long = "x".repeat(900_000);

/** Answers that are wrong whatever the document, and what an error says about them. */
const anywhere: readonly (readonly [what: string, answer: Answer, problem: RegExp])[] = [
  ["an HTML page", json(() => `<html>${long}</html>`), /JSON/],
  ["nothing", json(() => ""), /JSON/],
  ["half a document", json(() => '{"issuer":'), /JSON/],
  ["a list", json(() => "[]"), /JSON|object/],
  ["null", json(() => "null"), /JSON|object/],
  ["a document 100,000 levels deep", json(() => deep), /JSON|object|invalid response/],
  ["a document without an end", endless('"'), /longer than 1048576 bytes/],
  ["spaces without an end", endless(" "), /longer than 1048576 bytes/],
  ["status 500 and a page", json(() => long, 500), /500/],
  ["status 204", (response) => void response.writeHead(204).end(), /204/],
  ["a redirect to another host", elsewhere, /302/],
  ["a reset", (response) => void response.destroy(), /closed|reset|hang up|ECONNRESET|UND_ERR/i],
  ["a head and no body", trickle, /30000 ms|timeout/],
  ["no answer", silent, /30000 ms|timeout/],
];

const discoveryPath = "/.well-known/openid-configuration";
const rightDiscovery = json((url) =>
  JSON.stringify({ issuer: url, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys` }),
);
/** Some are refused before they are compared, because they aren't URLs. */
const wrongIssuer = /another issuer URL|issuer did not match|invalid response .*Invalid URL$/;
const issuers: readonly (readonly [what: string, answer: Answer, problem: RegExp])[] = [
  ["another issuer", json(() => '{"issuer":"https://evil.test"}'), wrongIssuer],
  ["a long issuer", json(() => JSON.stringify({ issuer: long })), wrongIssuer],
  ["a deep issuer", json(() => `{"issuer":${deep}}`), /issuer/],
  ["two issuers, the last one wrong", json((url) => `{"issuer":"${url}","issuer":"b"}`), wrongIssuer],
  ["no issuer", json(() => '{"__proto__":{"issuer":"a"}}'), /issuer/],
];

/** Rows whose end depends on a time limit. */
const slow: ReadonlySet<Answer> = new Set([silent, trickle]);
const signal = new AbortController().signal;

let local: LocalServer;
let documents: Readonly<Record<string, Answer>>;
let paths: string[];
beforeAll(async () => {
  local = await serve((request, response) => {
    paths.push(request.url!);
    response.on("error", () => undefined);
    request.resume();
    documents[request.url!]!(response, local.url);
  }, {});
});
afterAll(() => local[Symbol.asyncDispose]());

/** Serves documents by path, and returns the failure of a call that reads them. */
async function ask(
  served: Readonly<Record<string, Answer>>,
  call: (url: string, clock: Clock) => Promise<unknown>,
): Promise<Error> {
  documents = served;
  paths = [];
  const clock = createVirtualClock();
  let failure: Error | undefined;
  void call(local.url, clock).then(
    (value) => (failure = new Error(`no error: ${inspect(value)}`)),
    (error: unknown) => (failure = error as Error),
  );
  if (Object.values(documents).some((answer) => slow.has(answer))) {
    await until(() => slow.has(documents[paths.at(-1) ?? ""]!));
    await clock.advance(30_000);
  }
  await until(() => failure !== undefined);
  return failure!;
}

const secrets = { "refresh-token": "s3cret-refresh", "client-secret": "s3cret-client" };
const idToken = (iss: string): string =>
  ["{}", JSON.stringify({ iss, aud: "a", sub: "b", iat: 1, exp: 4102444800 }), ""]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");

/** Refreshes the token of a user, like a client does. */
async function refresh(url: string, clock: Clock): Promise<unknown> {
  const config = { "idp-issuer-url": url, "client-id": "a", "idp-certificate-authority-data": pkiData("ca.crt") };
  const provider = { where: "user.auth-provider", name: "oidc", config: { ...config, ...secrets } };
  const source = createOidcCredential(provider, { where: "user", file: "none" }, { env: {}, clock, persist: false });
  return await source.current({ signal });
}

const tokens: readonly (readonly [what: string, answer: Answer, problem: RegExp])[] = [
  ["a deep id token", json(() => `{"access_token":"a","token_type":"bearer","id_token":${deep}}`), /id_token/],
  ["a long id token", json(() => JSON.stringify({ access_token: "a", token_type: "bearer", id_token: long })), /JWT/],
  [
    "an id token of another issuer",
    json(() => JSON.stringify({ access_token: "a", token_type: "bearer", id_token: idToken("https://evil.test") })),
    /JWT/,
  ],
  [
    "the secrets in the error",
    json(() => JSON.stringify({ error: "s3cret-refresh", error_description: "s3cret-client" }), 400),
    /responded with 400$/,
  ],
  ["a long error", json(() => JSON.stringify({ error: long }), 400), /responded with 400$/],
  [
    "two id tokens, the last one of another issuer",
    json(
      (url) => `{"access_token":"a","token_type":"bearer","id_token":"${idToken(url)}","id_token":"${idToken("b")}"}`,
    ),
    /JWT/,
  ],
];

it.each([...anywhere, ...issuers])(
  "client whose OIDC provider answers its discovery with %s says so",
  async (_what, answer, problem) => {
    const failure = await ask({ [discoveryPath]: answer }, refresh);
    checkFailure(failure, problem);
    expect(paths).toEqual([discoveryPath]);
  },
);

it.each([...anywhere, ...tokens])(
  "client whose OIDC provider answers a refresh with %s says so",
  async (_what, answer, problem) => {
    const failure = await ask({ [discoveryPath]: rightDiscovery, "/token": answer }, refresh);
    checkFailure(failure, problem);
    expect(paths).toEqual([discoveryPath, "/token"]);
  },
);

function checkFailure(failure: Error, problem: RegExp): void {
  expect(failure.message).toMatch(problem);
  expect(failure.message.length).toBeLessThan(1_100);
  expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
}

/** Fetches the keys of an issuer, like an API server does. */
function fetchKeys(url: string, clock: Clock): Promise<unknown> {
  const trusted = { url, audiences: ["a"], certificateAuthority: pki("ca.crt") };
  return createIssuerKeys(trusted, { clock, fetch: nodeIssuerFetch, closed: signal }).current();
}

it.each([...anywhere, ...issuers])(
  "server whose token issuer answers its discovery with %s says so",
  async (_what, answer, problem) => {
    const failure = await ask({ [discoveryPath]: answer }, fetchKeys);
    checkFailure(failure, problem);
    expect(failure).toBeInstanceOf(AuthenticationError);
    expect(paths).toEqual([discoveryPath]);
  },
);

it.each(anywhere)(
  "server whose token issuer answers a request for its keys with %s says so",
  async (_what, answer, problem) => {
    const failure = await ask({ [discoveryPath]: rightDiscovery, "/keys": answer }, fetchKeys);
    checkFailure(failure, problem);
    expect(failure).toBeInstanceOf(AuthenticationError);
    expect(paths).toEqual([discoveryPath, "/keys"]);
  },
);

it.each<[string, (url: string) => string, RegExp]>([
  ["a long address", (url) => `${url}/${"x".repeat(900_000)}`, /oidc: /],
  ["clear text", (url) => url.replace("https:", "http:"), /http:/],
  ["a file", () => "file:///etc/passwd", /file:/],
  ["no address", () => "/keys", /Invalid URL/],
])("server whose token issuer names %s for its keys says so", async (_what, address, problem) => {
  const discovery = json((url) => JSON.stringify({ issuer: url, jwks_uri: address(url) }));
  const failure = await ask({ [discoveryPath]: discovery }, fetchKeys);
  checkFailure(failure, problem);
  expect(failure).toBeInstanceOf(AuthenticationError);
});

it.each<[string, (url: string) => string, RegExp]>([
  ["a long address", (url) => `${url}/${"x".repeat(900_000)}`, /\d/],
  ["clear text", (url) => url.replace("https:", "http:"), /is not https$/],
  ["a file", () => "file:///etc/passwd", /is not https$/],
  ["no address", () => "/token", /invalid response/],
  ["a list", () => ["https://evil.test"] as never, /invalid response/],
])("client whose OIDC provider names %s for its tokens says so", async (_what, address, problem) => {
  const discovery = json((url) => JSON.stringify({ issuer: url, token_endpoint: address(url) }));
  const failure = await ask({ [discoveryPath]: discovery }, refresh);
  checkFailure(failure, problem);
});
