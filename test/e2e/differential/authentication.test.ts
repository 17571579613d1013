// All ways to log in, compared with a kube-apiserver that reads the same files and flags.
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificateAuthority } from "../../../src/certificates/authority.js";
import { type JsonWebhook, startJsonWebhook, webhookKubeconfig } from "../../support/webhooks/json-webhook.js";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type PairRequest, type ServerPair, startPair } from "../server-pair.js";

const missing = missingReason();
const users = createCertificateAuthority(Date.now());
const proxies = createCertificateAuthority(Date.now());
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const nowS = Math.floor(Date.now() / 1000);

let issuer: JsonWebhook;
let reviewer: JsonWebhook;
let pair: ServerPair;

function idToken(claims: object, { alg = "RS256", kid = "r", signer = keys.privateKey } = {}): string {
  const all = {
    iss: issuer.url,
    aud: "cluster",
    sub: "jane",
    uid: "u0",
    tenant: "t1",
    exp: nowS + 900,
    iat: nowS,
    ...claims,
  };
  const content = `${base64({ alg, kid })}.${base64(all)}`;
  const key = alg === "ES256" ? { key: curve.privateKey, dsaEncoding: "ieee-p1363" as const } : signer;
  return `${content}.${sign("SHA256", Buffer.from(content), key).toString("base64url")}`;
}

/** Returns an AuthenticationConfiguration in JSON, which is YAML. */
function configuration(): string {
  return JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: {
          url: issuer.url,
          audiences: ["cluster", "cli"],
          audienceMatchPolicy: "MatchAny",
          certificateAuthority: issuer.ca,
        },
        claimValidationRules: [
          { claim: "tenant", requiredValue: "t1" },
          { expression: "!has(claims.blocked) || claims.blocked == false", message: "blocked" },
        ],
        claimMappings: {
          username: { expression: "'oidc:' + claims.sub" },
          groups: { expression: "has(claims.roles) ? claims.roles.split(',').map(r, 'role:' + r) : []" },
          uid: { claim: "uid" },
          extra: [{ key: "example.com/tenant", valueExpression: "claims.tenant" }],
        },
        userValidationRules: [
          { expression: "!user.username.startsWith('oidc:system:')", message: "reserved name" },
          { expression: "user.groups.all(group, !group.startsWith('role:system:'))", message: "reserved group" },
        ],
      },
    ],
    anonymous: { enabled: true, conditions: [{ path: "/livez" }, { path: "/version" }] },
  });
}

/** Answers TokenReviews by the token. */
function review(spec: Readonly<Record<string, unknown>>): object {
  const answers: Readonly<Record<string, object>> = {
    "hook-ann": {
      authenticated: true,
      user: { username: "ann", uid: "7", groups: ["ops"], extra: { "a.b/c": ["d"] } },
    },
    "hook-bound": { authenticated: true, user: { username: "bound" }, audiences: spec["audiences"] as string[] },
    "hook-other": { authenticated: true, user: { username: "other" }, audiences: ["elsewhere"] },
    "hook-error": { authenticated: false, error: "no such token" },
    "hook-both": { authenticated: true, error: "and an error", user: { username: "both" } },
    "hook-nameless": { authenticated: true, user: { groups: ["x"] } },
  };
  return answers[String(spec["token"])] ?? { authenticated: false };
}

const whoAmI = (given: Partial<PairRequest>): PairRequest => ({
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  json: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  token: "",
  ignore: ["/metadata"],
  ...given,
});

describe.skipIf(missing !== undefined)("logins compared with a real server", () => {
  beforeAll(async () => {
    issuer = await startJsonWebhook(({ path }) =>
      path === "/.well-known/openid-configuration"
        ? {
            issuer: issuer.url,
            jwks_uri: `${issuer.url}/keys`,
            response_types_supported: ["id_token"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["RS256"],
          }
        : {
            keys: [
              { ...keys.publicKey.export({ format: "jwk" }), kid: "r", alg: "RS256", use: "sig" },
              { ...curve.publicKey.export({ format: "jwk" }), kid: "e", alg: "ES256", use: "sig" },
            ],
          },
    );
    reviewer = await startJsonWebhook(({ body }) => {
      const { apiVersion, kind, spec } = body as { apiVersion: string; kind: string; spec: Record<string, unknown> };
      return spec["token"] === "hook-fails" ? 500 : { apiVersion, kind, status: review(spec) };
    });
    const folder = createServerFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const caller = users.client("the-server", []);
    pair = await startPair(folder, [
      "--authorization-mode=RBAC",
      `--client-ca-file=${file("users.crt", users.ca)}`,
      `--requestheader-client-ca-file=${file("proxies.crt", proxies.ca)}`,
      "--requestheader-allowed-names=front,second",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-uid-headers=X-Remote-Uid",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      `--authentication-config=${file("authentication.yaml", configuration())}`,
      "--enable-bootstrap-token-auth",
      `--authentication-token-webhook-config-file=${file(
        "reviewer.yaml",
        webhookKubeconfig(`${reviewer.url}/review`, reviewer.ca, {
          "client-certificate": file("caller.crt", caller.cert),
          "client-key": file("caller.key", caller.key),
        }),
      )}`,
      "--authentication-token-webhook-version=v1",
    ]);
    const secret = (id: string, data: Readonly<Record<string, string>>): object => ({
      metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": id,
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
        ...data,
      },
    });
    for (const json of [
      secret("aaaaaa", { "auth-extra-groups": "system:bootstrappers:rack,system:bootstrappers:zone" }),
      secret("bbbbbb", { expiration: "2020-01-01T00:00:00Z" }),
      secret("cccccc", { "usage-bootstrap-authentication": "false" }),
      secret("dddddd", { "auth-extra-groups": "other" }),
      secret("eeeeee", { "auth-extra-groups": "system:bootstrappers:rack, system:bootstrappers:zone" }),
    ]) {
      const { real, own } = await pair.both({ method: "POST", path: "/api/v1/namespaces/kube-system/secrets", json });
      expect([real.status, own.status]).toEqual([201, 201]);
    }
    // The real server discovers its issuer, and learns of Secrets, in the background.
    for (const token of [idToken({}), "aaaaaa.0123456789abcdef"])
      for (let tries = 0; (await pair.real.send(whoAmI({ token }))).status !== 201; tries += 1) {
        expect(tries).toBeLessThan(240);
        await delay(250);
      }
  });

  afterAll(async () => {
    await pair?.stop();
    await issuer?.close();
    await reviewer?.close();
  });

  const certified = (name: string, groups: string[] = [], authority = users): Partial<PairRequest> => ({
    certificate: authority.client(name, groups),
  });
  const proxied = (
    name: string,
    headers: NonNullable<PairRequest["headers"]>,
    authority = proxies,
  ): Partial<PairRequest> => ({
    ...certified(name, [], authority),
    headers,
  });
  const rows: readonly (readonly [title: string, status: number, given: () => Partial<PairRequest>])[] = [
    ["a client certificate", 201, () => certified("jane", ["dev", "ops"])],
    ["a client certificate without groups", 201, () => certified("jane")],
    [
      "a client certificate of another authority",
      401,
      () => certified("jane", [], createCertificateAuthority(Date.now())),
    ],
    ["a client certificate and a token", 201, () => ({ ...certified("jane"), token: "alice-token" })],
    ["a token of the file", 201, () => ({ token: "alice-token" })],
    ["an unknown token", 401, () => ({ token: "unknown" })],
    ["basic authentication", 401, () => ({ headers: { authorization: "Basic YTpi" } })],
    ["a scheme in lower case", 201, () => ({ headers: { authorization: "bearer alice-token" } })],
    ["an empty token", 401, () => ({ headers: { authorization: "Bearer " } })],
    [
      "a proxy",
      201,
      () =>
        proxied("front", {
          "x-remote-user": "pat",
          "x-remote-group": ["a", "b"],
          "x-remote-uid": "9",
          "x-remote-extra-Acme.com%2Fproject": "p1",
        }),
    ],
    ["a second proxy", 201, () => proxied("second", { "x-remote-user": "pat" })],
    ["a proxy with another name", 401, () => proxied("third", { "x-remote-user": "pat" })],
    ["a proxy that names no user", 401, () => proxied("front", { "x-remote-group": "a" })],
    [
      "a user who claims to be a proxy",
      201,
      () => proxied("jane", { "x-remote-user": "root", "x-remote-group": "system:masters" }, users),
    ],
    ["headers of a proxy without a certificate", 401, () => ({ headers: { "x-remote-user": "root" } })],
    ["an ID token", 201, () => ({ token: idToken({ roles: "a,b", uid: "u1" }) })],
    ["an ID token signed with ECDSA", 201, () => ({ token: idToken({}, { alg: "ES256", kid: "e" }) })],
    ["an ID token for the second audience", 201, () => ({ token: idToken({ aud: ["x", "cli"] }) })],
    ["an ID token for another audience", 401, () => ({ token: idToken({ aud: "x" }) })],
    ["an ID token of another issuer", 401, () => ({ token: idToken({ iss: "https://example.com" }) })],
    ["an expired ID token", 401, () => ({ token: idToken({ exp: nowS - 60 }) })],
    ["an ID token that isn't valid yet", 401, () => ({ token: idToken({ nbf: nowS + 3600 }) })],
    [
      "an ID token signed with another key",
      401,
      () => ({ token: idToken({}, { signer: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey }) }),
    ],
    ["an ID token without a required claim", 401, () => ({ token: idToken({ tenant: "t2" }) })],
    ["an ID token that a rule of claims rejects", 401, () => ({ token: idToken({ blocked: true }) })],
    [
      "an ID token whose claim has another type than the rule expects",
      401,
      () => ({ token: idToken({ blocked: "yes" }) }),
    ],
    ["an ID token that a rule of users rejects", 401, () => ({ token: idToken({ sub: "system:admin" }) })],
    ["an ID token with a reserved group", 401, () => ({ token: idToken({ roles: "a,system:masters" }) })],
    ["an ID token without the claim of the name", 401, () => ({ token: idToken({ sub: undefined }) })],
    ["an ID token with an empty name", 201, () => ({ token: idToken({ sub: "" }) })],
    ["an ID token without the claim of the uid", 401, () => ({ token: idToken({ uid: undefined }) })],
    ["an ID token whose uid is a number", 401, () => ({ token: idToken({ uid: 7 }) })],
    ["a bootstrap token", 201, () => ({ token: "aaaaaa.0123456789abcdef" })],
    ["a bootstrap token with another secret", 401, () => ({ token: "aaaaaa.0123456789abcdeg" })],
    ["a bootstrap token that expired", 401, () => ({ token: "bbbbbb.0123456789abcdef" })],
    ["a bootstrap token that isn't for logging in", 401, () => ({ token: "cccccc.0123456789abcdef" })],
    ["a bootstrap token with a group of another form", 401, () => ({ token: "dddddd.0123456789abcdef" })],
    ["a bootstrap token with a space before a group", 401, () => ({ token: "eeeeee.0123456789abcdef" })],
    ["a token that the webhook accepts", 201, () => ({ token: "hook-ann" })],
    ["a token that the webhook accepts for the server's audiences", 201, () => ({ token: "hook-bound" })],
    ["a token that the webhook accepts for other audiences", 401, () => ({ token: "hook-other" })],
    ["a token that the webhook rejects", 401, () => ({ token: "hook-error" })],
    ["a token that the webhook accepts with an error", 201, () => ({ token: "hook-both" })],
    ["a token without a name from the webhook", 201, () => ({ token: "hook-nameless" })],
    ["a webhook that fails", 401, () => ({ token: "hook-fails" })],
    [
      "impersonation by a user with rights",
      201,
      () => ({ token: "admin-token", headers: { "impersonate-user": "sam", "impersonate-group": "x" } }),
    ],
    [
      "impersonation by a user without rights",
      403,
      () => ({ token: "alice-token", headers: { "impersonate-user": "sam" } }),
    ],
  ];

  it.each(rows)("%s gives the answer %d and the same user", async (_title, status, given) => {
    const request = whoAmI(given());
    expect(await pair.compare(request)).toEqual([]);
    expect((await pair.own.send(request)).status).toBe(status);
  });

  it.each([
    ["/livez", 200],
    ["/version", 200],
    ["/readyz", 401],
    ["/api/v1/namespaces", 401],
    ["/livez/ping", 401],
  ])("a request without credentials for %s gives %d, as the file says", async (path, status) => {
    const { real, own } = await pair.both({ path, token: "" });
    expect([real.status, own.status]).toEqual([status, status]);
  });

  it("a token of a ServiceAccount gives the same user with the same attributes", async () => {
    const account = "/api/v1/namespaces/default/serviceaccounts";
    await pair.both({ method: "POST", path: account, json: { metadata: { name: "robot" } } });
    const seen = await Promise.all(
      [pair.real, pair.own].map(async (server) => {
        const asked = await server.send({ method: "POST", path: `${account}/robot/token`, json: { spec: {} } });
        const { token } = (asked.value as { status: { token: string } }).status;
        const answer = await server.send(whoAmI({ token }));
        const { userInfo } = (
          answer.value as { status: { userInfo: { username: string; groups: string[]; extra: object } } }
        ).status;
        return [answer.status, userInfo.username, userInfo.groups, Object.keys(userInfo.extra)];
      }),
    );
    expect(seen[1]).toEqual(seen[0]);
  });

  it("a TokenReview gives the same status for tokens of every kind", async () => {
    for (const token of ["alice-token", "hook-ann", "hook-error", idToken({}), "aaaaaa.0123456789abcdef", "unknown"])
      for (const audiences of [undefined, ["elsewhere"]])
        expect(
          await pair.compare({
            method: "POST",
            path: "/apis/authentication.k8s.io/v1/tokenreviews",
            json: { spec: { token, audiences } },
            ignore: ["/metadata", "/status/error"],
          }),
        ).toEqual([]);
  });

  it("both servers send the webhook the same reviews, with their client certificate", async () => {
    reviewer.take();
    await pair.both(whoAmI({ token: "hook-fresh" }));
    const calls = reviewer.take().map(({ body, client }) => ({ body, client }));
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(calls[0]).toMatchObject({ client: "the-server" });
    for (const call of calls) expect(call).toEqual(calls[0]);
  });

  it("a TLS client is offered the names of the authorities that may sign its certificate", () => {
    const offered = (url: string): string | undefined => {
      const words = ["s_client", "-connect", new URL(url).host, "-tls1_2"];
      const options: ExecFileSyncOptionsWithStringEncoding = {
        input: "",
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
        timeout: 30_000,
      };
      return /Acceptable client certificate CA names\n(.*\n)/.exec(execFileSync("openssl", words, options))?.[1];
    };
    expect(offered(pair.own.url)).toBe(offered(pair.real.url));
    expect(offered(pair.own.url)).toContain("kubestream-ca");
  });
});

if (missing !== undefined) console.log(`logins compared with a real server: skipped: ${missing}`);
