// ID tokens under the --oidc-* flags, compared with a kube-apiserver that reads the same flags.
import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type JsonWebhook, startJsonWebhook } from "../../support/webhooks/json-webhook.js";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type PairRequest, type ServerPair, startPair } from "../server-pair.js";

const missing = missingReason();
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
const nowS = Math.floor(Date.now() / 1000);

let issuer: JsonWebhook;
let pair: ServerPair | undefined;

function idToken(claims: object, { kid = "r", key = keys.privateKey } = {}): string {
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const all = { iss: issuer.url, aud: "cluster", sub: "jane", exp: nowS + 3600, iat: nowS, ...claims };
  const content = `${base64({ alg: "RS256", kid })}.${base64(all)}`;
  return `${content}.${sign("SHA256", Buffer.from(content), key).toString("base64url")}`;
}

const whoAmI = (token: string): PairRequest => ({
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  json: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  token,
  ignore: ["/metadata"],
});

/** Starts both servers with flags, and waits until the real one has found the issuer's keys. */
async function start(flags: readonly string[], claims: object): Promise<ServerPair> {
  const folder = createServerFolder();
  const ca = join(folder, "issuer.crt");
  writeFileSync(ca, issuer.ca);
  const started = await startPair(folder, [
    "--authorization-mode=RBAC",
    `--oidc-issuer-url=${issuer.url}`,
    "--oidc-client-id=cluster",
    `--oidc-ca-file=${ca}`,
    ...flags,
  ]);
  pair = started;
  await vi.waitFor(async () => expect((await started.real.send(whoAmI(idToken(claims)))).status).toBe(201), {
    timeout: 90_000,
    interval: 250,
  });
  return started;
}

describe.skipIf(missing !== undefined)("the --oidc-* flags compared with a real server", () => {
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
        : { keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "r", alg: "RS256", use: "sig" }] },
    );
    return () => issuer.close();
  });

  afterEach(async () => {
    await pair?.stop();
    pair = undefined;
  });

  /** Expects the same users, and these statuses, for tokens with these claims. */
  async function expectSame(
    servers: ServerPair,
    rows: readonly (readonly [claims: object, status: number, signer?: Parameters<typeof idToken>[1]])[],
  ): Promise<void> {
    for (const [claims, status, signer] of rows) {
      const request = whoAmI(idToken(claims, signer));
      const { own } = await servers.both(request);
      expect([claims, own.status, await servers.compare(request)]).toEqual([claims, status, []]);
    }
  }

  it("the issuer and the client id give names with the issuer as prefix, and no groups", async () => {
    const servers = await start([], {});
    await expectSame(servers, [
      [{}, 201],
      [{ groups: ["a"], email: "jane@example.com", email_verified: false }, 201],
      [{ aud: ["x", "cluster"] }, 201],
      [{ aud: "x" }, 401],
      [{ iss: "https://example.com" }, 401],
      [{ exp: nowS - 60 }, 401],
      [{ nbf: nowS + 3600 }, 401],
      [{ sub: undefined }, 401],
      [{ sub: 7 }, 401],
      [{ sub: "" }, 201],
      [{ sub: null }, 201],
      [{}, 401, { key: other.privateKey }],
    ]);
  });

  it("e-mail addresses are names without a prefix and need to be verified, and groups have theirs", async () => {
    const email = { email: "jane@example.com" };
    const servers = await start(
      [
        "--oidc-username-claim=email",
        "--oidc-groups-claim=roles",
        "--oidc-groups-prefix=oidc:",
        "--oidc-required-claim=tenant=t1",
        "--oidc-required-claim=zone=z=1",
      ],
      { ...email, tenant: "t1", zone: "z=1" },
    );
    const known = { ...email, tenant: "t1", zone: "z=1" };
    await expectSame(servers, [
      [known, 201],
      [{ ...known, email_verified: true, roles: ["a", "b"] }, 201],
      [{ ...known, email_verified: false }, 401],
      [{ ...known, email_verified: "true" }, 401],
      [{ ...known, email_verified: null }, 401],
      [{ ...known, roles: "one" }, 201],
      [{ ...known, roles: "" }, 201],
      [{ ...known, roles: [] }, 201],
      [{ ...known, roles: null }, 201],
      [{ ...known, roles: [null, "a"] }, 201],
      [{ ...known, roles: [1] }, 401],
      [{ ...known, roles: {} }, 401],
      [{ ...known, tenant: "t2" }, 401],
      [{ ...known, tenant: undefined }, 401],
      [{ ...known, zone: "z" }, 401],
      [{ ...known, tenant: ["t1"] }, 401],
    ]);
  });

  it("a prefix of - is empty, and the name of a claim may have any characters", async () => {
    const claim = "https://example.com/name";
    const servers = await start(
      [`--oidc-username-claim=${claim}`, "--oidc-username-prefix=-", `--oidc-groups-claim=https://example.com/teams`],
      { [claim]: "sam" },
    );
    await expectSame(servers, [
      [{ [claim]: "sam", "https://example.com/teams": ["x", "system:masters"] }, 201],
      [{ [claim]: "system:admin" }, 201],
      [{ [claim]: undefined }, 401],
    ]);
  });
});

if (missing !== undefined) console.log(`the --oidc-* flags compared with a real server: skipped: ${missing}`);
