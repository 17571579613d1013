import { generateKeyPairSync, sign } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { JwtAuthenticator } from "../../../../src/apiserver/authentication/jwt/configuration.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
afterEach(() => server.close());

const url = "https://issuer.example";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const nowS = Math.floor(Date.now() / 1000);

function token(claims: object, { alg = "RS256", kid = "r" }: { alg?: string; kid?: string } = {}): string {
  const all = { iss: url, aud: "cluster", sub: "jane", exp: nowS + 600, ...claims };
  const content = `${base64({ alg, kid })}.${base64(all)}`;
  const key = alg === "ES256" ? { key: ec.privateKey, dsaEncoding: "ieee-p1363" as const } : rsa.privateKey;
  return `${content}.${sign("SHA256", Buffer.from(content), key).toString("base64url")}`;
}

const jwk = (pair: typeof rsa, kid: string): object => ({ ...pair.publicKey.export({ format: "jwk" }), kid });
let fetched: string[] = [];

function start(
  authenticator: Partial<JwtAuthenticator>,
  keys: () => object[] = () => [jwk(rsa, "r"), jwk(ec, "e")],
): void {
  fetched = [];
  server = createApiServer({
    controllers: false,
    issuerFetch: (address) => {
      fetched.push(address);
      const document = { issuer: url, jwks_uri: `${url}/keys` };
      return Promise.resolve(Response.json(address.endsWith("/keys") ? { keys: keys() } : document));
    },
    authenticationConfiguration: {
      jwt: [
        {
          issuer: { url, audiences: ["cluster"] },
          claimMappings: { username: { claim: "sub", prefix: "oidc:" }, groups: { claim: "groups", prefix: "" } },
          ...authenticator,
        },
      ],
    },
  });
}

async function whoAmI(bearer: string): Promise<unknown> {
  const response = await server.handle(
    new Request("http://server/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
      body: "{}",
    }),
  );
  if (response.status !== 201) return response.status;
  return ((await response.json()) as { status: { userInfo: unknown } }).status.userInfo;
}

const jane = (...groups: string[]): object => ({ username: "oidc:jane", groups: [...groups, "system:authenticated"] });

describe("JSON Web Tokens", () => {
  it.each<[string, string, unknown]>([
    ["signed with RSA", token({}), jane()],
    ["signed with ECDSA", token({}, { alg: "ES256", kid: "e" }), jane()],
    ["with a list of groups", token({ groups: ["a", "b"] }), jane("a", "b")],
    ["with one group", token({ groups: "a" }), jane("a")],
    ["with several audiences", token({ aud: ["x", "cluster"] }), jane()],
    ["that expired", token({ exp: nowS - 1 }), 401],
    ["without an expiry", token({ exp: undefined }), 401],
    ["that isn't valid yet", token({ nbf: nowS + 600 }), 401],
    ["valid within the allowed clock skew", token({ nbf: nowS + 100 }), jane()],
    ["for another audience", token({ aud: "x" }), 401],
    ["of another issuer", token({ iss: "https://other.example" }), 401],
    ["without a signature", `${token({}).split(".").slice(0, 2).join(".")}.`, 401],
    ["with the algorithm none", `${base64({ alg: "none" })}.${token({}).split(".")[1]!}.`, 401],
    [
      "with claims changed after signing",
      token({}).replace(/\.[^.]+\./, `.${base64({ iss: url, sub: "root" })}.`),
      401,
    ],
    ["with an RSA signature that claims to be ECDSA", token({}, { alg: "RS256", kid: "e" }), 401],
    ["with a subject that isn't text", token({ sub: 7 }), 401],
    ["with null as groups", token({ groups: null }), jane()],
    ["with null among the groups", token({ groups: ["a", null] }), jane("a", "")],
    ["with null as name", token({ sub: null }), { ...jane(), username: "oidc:" }],
    ["with groups that aren't text", token({ groups: [1] }), 401],
  ])("%s", async (_title, bearer, expected) => {
    start({});
    expect(await whoAmI(bearer)).toEqual(expected);
  });

  const pair = jwk(rsa, "r");
  it.each<[string, object[]]>([
    ["RSA of one bit", [{ kty: "RSA", n: "AQ", e: "AQAB", kid: "r" }]],
    ["an RSA modulus of zero", [{ ...pair, n: "AA" }]],
    ["an RSA exponent of zero", [{ ...pair, e: "AA" }]],
    ["RSA of 160,000 bits", [{ ...pair, n: Buffer.alloc(20_000, 255).toString("base64url") }]],
    ["RSA with lists and numbers", [{ ...pair, n: ["AQ"], e: 3 }]],
    ["the unknown type", [{ kty: "unknown", kid: "r" }]],
    ["the type of another curve", [{ ...jwk(ec, "r"), kty: "RSA" }]],
    ["10,000 keys of another name", Array(10_000).fill({ kty: "RSA", kid: "other" }) as object[]],
    ["200 wrong keys of this name", Array(200).fill({ ...pair, n: "AQ" }) as object[]],
    ["no objects", [null, 7, "key", []] as unknown as object[]],
  ])("are verified by the right key after %s, and refused without it", async (_what, wrong) => {
    let keys = wrong;
    start({}, () => keys);
    expect(await whoAmI(token({}))).toBe(401);
    keys = [...wrong, pair];
    expect(await whoAmI(token({}))).toEqual(jane());
  });

  it("maps claims with expressions, and checks rules for claims and users", async () => {
    start({
      claimMappings: {
        username: { expression: "claims.sub + '@' + claims.tenant" },
        groups: { expression: "claims.roles.map(r, 'role:' + r)" },
        uid: { claim: "uid" },
        extra: [{ key: "example.com/tenant", valueExpression: "claims.tenant" }],
      },
      claimValidationRules: [
        { claim: "tenant", requiredValue: "acme" },
        { expression: "claims.exp - claims.iat <= 3600", message: "too long" },
      ],
      userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
    });
    const good = { tenant: "acme", roles: ["dev"], uid: "7", iat: nowS };
    expect(await whoAmI(token(good))).toEqual({
      username: "jane@acme",
      uid: "7",
      groups: ["role:dev", "system:authenticated"],
      extra: { "example.com/tenant": ["acme"] },
    });
    for (const bad of [{ tenant: "other" }, { iat: nowS - 7200 }, { sub: "system:root" }, { roles: undefined }])
      expect(await whoAmI(token({ ...good, ...bad }))).toBe(401);
  });

  it("reads the keys once, and again for a key that it doesn't know", async () => {
    let kid = "old";
    start({}, () => [jwk(rsa, kid)]);
    await whoAmI(token({}, { kid: "old" }));
    await whoAmI(token({}, { kid: "old" }));
    expect(fetched).toEqual([`${url}/.well-known/openid-configuration`, `${url}/keys`]);
    kid = "new";
    expect(await whoAmI(token({}, { kid: "new" }))).toEqual(jane());
    expect(fetched.length).toBe(3);
  });
});
