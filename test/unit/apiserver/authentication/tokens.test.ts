import { afterEach, describe, expect, it } from "vitest";
import type { AuthenticationOptions } from "../../../../src/apiserver/authentication/options.js";
import type { ClientIdentity } from "../../../../src/apiserver/http/client-identity.js";
import type { WebhookCall } from "../../../../src/apiserver/http/webhook-caller.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import type { Clock } from "../../../../src/internal/clock.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { startServer } from "../../../support/start-server.js";

let server: ApiServer;
afterEach(() => server.close());

const start = (options: AuthenticationOptions, more: object = {}): void => {
  server = createApiServer({ controllers: false, ...options, ...more });
};

/** Returns the user as the server sees it, or the status code of a refusal. */
async function whoAmI(headers: Record<string, string> | string = {}, client?: ClientIdentity): Promise<unknown> {
  const given = typeof headers === "string" ? { authorization: `Bearer ${headers}` } : headers;
  const response = await server.handle(
    new Request("http://server/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json", ...given },
      body: "{}",
    }),
    client,
  );
  if (response.status !== 201) return response.status;
  return ((await response.json()) as { status: { userInfo: unknown } }).status.userInfo;
}

const authenticated = "system:authenticated";

describe("bootstrap tokens", () => {
  const secret = (data: Record<string, string>, more: object = {}): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: undefined,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
    ...more,
  });
  const valid = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
  };
  const token = "abcdef.0123456789abcdef";

  it.each([
    ["valid", secret(valid), ["system:bootstrappers", authenticated]],
    [
      "with groups",
      secret({ ...valid, "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a" }),
      ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b", authenticated],
    ],
    [
      "that expires later",
      secret({ ...valid, expiration: "2999-01-01T00:00:00Z" }),
      ["system:bootstrappers", authenticated],
    ],
    ["that has expired", secret({ ...valid, expiration: "2020-01-01T00:00:00Z" }), 401],
    ["with an unreadable expiry", secret({ ...valid, expiration: "soon" }), 401],
    ["for another use", secret({ ...valid, "usage-bootstrap-authentication": "false" }), 401],
    ["with another password", secret({ ...valid, "token-secret": "fedcba9876543210" }), 401],
    ["with another id", secret({ ...valid, "token-id": "fedcba" }), 401],
    ["with a foreign group", secret({ ...valid, "auth-extra-groups": "system:masters" }), 401],
    ["of another type", secret(valid, { type: "Opaque" }), 401],
  ] as const)("a token %s", async (_title, object, expected) => {
    start({ bootstrapTokens: true });
    await server.load([object as never]);
    expect(await whoAmI(token)).toEqual(
      typeof expected === "number" ? expected : { username: "system:bootstrap:abcdef", groups: expected },
    );
  });

  it("are unknown unless they are enabled", async () => {
    start({});
    await server.load([secret(valid) as never]);
    expect(await whoAmI(token)).toBe(401);
  });
});

describe("token webhook", () => {
  it("reviews unknown tokens and caches the results", async () => {
    const calls: WebhookCall[] = [];
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonic: () => nowMs };
    start(
      { tokenWebhook: { url: "https://authn.example/", cacheTtlMs: 100 }, tokens: new Map() },
      {
        clock,
        webhooks: (call: WebhookCall) => {
          calls.push(call);
          const { token } = (call.body as { spec: { token: string } }).spec;
          if (token === "broken") return Promise.reject(new Error("unreachable"));
          const user = { username: "jane", uid: "7", groups: ["dev"], extra: { k: ["v"] } };
          return Promise.resolve({ status: token === "good" ? { authenticated: true, user } : { error: "no" } });
        },
      },
    );
    const jane = { username: "jane", uid: "7", groups: ["dev", authenticated], extra: { k: ["v"] } };
    const results: unknown[] = [];
    for (const at of [0, 50, 150]) {
      nowMs = at;
      for (const token of ["good", "bad", "broken"]) results.push(await whoAmI(token));
    }
    expect(results).toEqual([jane, 401, 401, jane, 401, 401, jane, 401, 401]);
    // A failed call isn't cached.
    expect(calls.map(({ body }) => (body as { spec: { token: string } }).spec.token).sort()).toEqual([
      ...["bad", "bad", "broken", "broken", "broken", "good", "good"],
    ]);
    expect(calls[0]).toMatchObject({
      body: { kind: "TokenReview", spec: { audiences: ["https://kubernetes.default.svc"] } },
    });
  });

  it("that returns no audiences vouches only for those of the server", async () => {
    const status = { authenticated: true, user: { username: "jane" } };
    start({ tokenWebhook: { url: "https://authn.example/" } }, { webhooks: () => Promise.resolve({ status }) });
    const review = async (audiences?: string[]): Promise<unknown> => {
      const request = new Request("http://server/apis/authentication.k8s.io/v1/tokenreviews", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ spec: { token: "t", audiences } }),
      });
      const answer = await server.handle(request, {
        user: { name: "admin", uid: "", groups: ["system:masters"], extra: {} },
      });
      return ((await answer.json()) as { status: { authenticated?: boolean } }).status.authenticated;
    };
    expect([await review(), await review(["elsewhere"])]).toEqual([true, undefined]);
  });
});

describe("own authenticators and identities", () => {
  it("authenticate after tokens, and an exception is a 401", async () => {
    start({
      anonymousAuth: false,
      authenticators: [
        (request) => {
          const name = request.header("x-user");
          if (name === "bad") throw new Error("secret detail");
          return name === undefined ? undefined : { name, uid: "", groups: [], extra: {} };
        },
      ],
    });
    expect(await whoAmI({ "x-user": "jane" })).toEqual({ username: "jane", groups: [authenticated] });
    expect([await whoAmI({ "x-user": "bad" }), await whoAmI()]).toEqual([401, 401]);
  });

  it("of a caller in the same process need no credentials", async () => {
    start({ anonymousAuth: false });
    const user = { name: "jane", uid: "", groups: ["dev"], extra: {} };
    expect(await whoAmI({}, { user })).toEqual({ username: "jane", groups: ["dev", authenticated] });
  });
});

describe("front proxy", () => {
  const pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----";
  const proxy = (commonName: string, ...trustedBy: ("clientCa" | "requestHeader")[]): ClientIdentity => ({
    certificate: { commonName, organizations: [], trustedBy },
  });
  const headers = {
    "x-remote-user": "jane",
    "x-remote-group": "dev, ops",
    "x-remote-uid": "7",
    "x-remote-extra-acme.com%2fteam": "red",
  };
  const jane = {
    username: "jane",
    uid: "7",
    groups: ["dev", "ops", authenticated],
    extra: { "acme.com/team": ["red"] },
  };

  it.each<[string, Record<string, string>, ClientIdentity | undefined, unknown]>([
    ["passes a user on", headers, proxy("front", "requestHeader"), jane],
    ["with another name is refused", headers, proxy("other", "requestHeader"), 401],
    ["with an untrusted certificate is refused", headers, proxy("front"), 401],
    [
      "without a certificate passes nobody on",
      headers,
      undefined,
      { username: "system:anonymous", groups: ["system:unauthenticated"] },
    ],
    [
      "that is a user itself acts as that user without headers",
      {},
      proxy("front", "requestHeader", "clientCa"),
      { username: "front", groups: [authenticated] },
    ],
    [
      "with an ordinary client certificate can't pass users on",
      headers,
      proxy("front", "clientCa"),
      { username: "front", groups: [authenticated] },
    ],
  ])("%s", async (_title, given, client, expected) => {
    start({ clientCa: pem, requestHeader: { clientCa: pem, allowedNames: ["front"] } });
    expect(await whoAmI(given, client)).toEqual(expected);
  });
});

describe("authentication options", () => {
  const configuration = (jwt: object): AuthenticationOptions => ({
    authenticationConfiguration: { jwt: [jwt as never] },
  });
  const issuer = { url: "https://issuer.example", audiences: ["a"] };
  const claimMappings = { username: { claim: "sub", prefix: "" } };
  it.each<[AuthenticationOptions, string]>([
    [{ clientCa: "nonsense" }, "clientCa: expected a certificate in PEM"],
    [{ requestHeader: { clientCa: "" } }, "requestHeader.clientCa: expected a certificate in PEM"],
    [{ tokenWebhook: { url: "nowhere" } }, 'tokenWebhook.url: invalid URL "nowhere"'],
    [{ authenticationConfiguration: "a: [" }, "authenticationConfiguration: not valid YAML"],
    [
      { authenticationConfiguration: "kind: Pod" },
      "authenticationConfiguration: expected an AuthenticationConfiguration",
    ],
    [
      { anonymousAuth: true, authenticationConfiguration: { anonymous: { enabled: true } } },
      "authenticationConfiguration.anonymous can't be combined with anonymousAuth",
    ],
    [
      { authenticationConfiguration: { anonymous: { enabled: false, conditions: [{ path: "/livez" }] } } },
      "anonymous.conditions: enabled must be true when conditions are set",
    ],
    [
      configuration({ issuer: { ...issuer, url: "http://x" }, claimMappings }),
      "jwt[0].issuer.url: the scheme must be https",
    ],
    [configuration({ issuer: { ...issuer, audiences: [] }, claimMappings }), "jwt[0].issuer.audiences: at least one"],
    [configuration({ issuer, claimMappings: {} }), "jwt[0].claimMappings.username: claim or expression is required"],
    [
      configuration({ issuer, claimMappings: { username: { claim: "sub" } } }),
      "jwt[0].claimMappings.username.prefix is required with claim",
    ],
    [
      configuration({ issuer, claimMappings: { username: { expression: "claims." } } }),
      "authenticationConfiguration: jwt[0].claimMappings.username.expression: ",
    ],
    [
      configuration({ issuer, claimMappings, claimValidationRules: [{ expression: "claims.sub" }] }),
      "jwt[0].claimValidationRules[0].expression: must evaluate to bool",
    ],
    [
      configuration({ issuer, claimMappings, userValidationRules: [{ expression: "user.nothing == ''" }] }),
      "jwt[0].userValidationRules[0].expression: ",
    ],
    [
      configuration({ issuer, claimMappings: { username: { expression: "claims.email" } } }),
      "jwt[0].claimMappings.username.expression: claims.email_verified must be used",
    ],
  ])("rejects %j", async (options, message) => {
    start({});
    await expect(startServer(options)).rejects.toThrow(message);
  });

  it("accept anonymous requests only for the paths of their conditions", async () => {
    start({ authenticationConfiguration: { anonymous: { enabled: true, conditions: [{ path: "/livez" }] } } });
    const get = async (path: string): Promise<number> =>
      (await server.handle(new Request(`http://server${path}`))).status;
    expect([await get("/livez"), await get("/readyz"), await get("/api")]).toEqual([200, 401, 401]);
  });
});
