// All authentication methods, tested against a kube-apiserver that requires authentication. It trusts the test CA for
// client certificates and an OIDC issuer that runs in this process.
import { generateKeyPairSync, sign } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../src/client/client.js";
import { withImpersonation } from "../../src/client/decorators/with-impersonation.js";
import { isForbidden, isUnauthorized } from "../../src/errors/predicates.js";
import { type Clock, systemClock } from "../../src/internal/clock.js";
import { ServiceAccount } from "../../src/kinds/core/v1.js";
import { createClusterTransport } from "../../src/node/connection/cluster-transport.js";
import { type ConnectedClient, type ConnectOptions, connect } from "../../src/node/connection/connect.js";
import { createUserCredential } from "../../src/node/credentials/user-credential.js";
import { findInCluster } from "../../src/node/kubeconfig/in-cluster.js";
import { requestToken } from "../../src/operations/request-token.js";
import { freshNamespace } from "../suites/clients.js";
import { bodyOf, pki, pkiData, pkiFile, serve } from "../unit/node/local-server.js";
import { describeServer, missingReason, type RealApiServer, startRealApiServer } from "./real-apiserver.js";

interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

const missing = missingReason();

describe.skipIf(missing !== undefined)("authentication against a real server", () => {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  let folder: string;
  let issuer: Awaited<ReturnType<typeof serve>>;
  let server: RealApiServer;
  let cluster: object;
  let admin: ConnectedClient;
  let refreshes = 0;

  /** Returns a signed ID token like an OIDC provider's. */
  function idToken(subject: string, expiresAt: number, groups: string[] = ["ops"]): string {
    const content = `${base64({ alg: "RS256", kid: "k" })}.${base64({ iss: issuer.url, aud: "cli", sub: subject, groups, exp: Math.floor(expiresAt / 1000), iat: Math.floor(Date.now() / 1000) - 60 })}`;
    return `${content}.${sign("RSA-SHA256", Buffer.from(content), keys.privateKey).toString("base64url")}`;
  }

  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  let files = 0;
  const configOf = (user: object): string =>
    put(
      `config-${String(++files)}`,
      JSON.stringify({
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user }],
      }),
    );
  const as = (user: object, options: ConnectOptions = {}): Promise<ConnectedClient> =>
    connect({ kubeconfig: configOf(user), env: { PATH: process.env["PATH"] }, retry: false, ...options });

  async function whoAmI(client: Client): Promise<UserInfo> {
    const response = await client.request({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    });
    return ((await response.json()) as { status: { userInfo: UserInfo } }).status.userInfo;
  }

  /** Writes a program that prints an ExecCredential. */
  function plugin(status: object): object {
    const file = put(
      `plugin-${String(++files)}.mjs`,
      `#!${process.execPath}\nconst info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);\nif (info.spec.cluster.server !== ${JSON.stringify((cluster as { server: string }).server)}) process.exit(9);\nconsole.log(JSON.stringify({ apiVersion: info.apiVersion, kind: "ExecCredential", status: ${JSON.stringify(status)} }));\n`,
    );
    chmodSync(file, 0o755);
    return {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: file,
        interactiveMode: "Never",
        provideClusterInfo: true,
      },
    };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubestream-logins-"));
    issuer = await serve((request, response) => {
      void bodyOf(request).then((body) => {
        const json = (value: object): void =>
          void response
            .writeHead(200, { "content-type": "application/json", connection: "close" })
            .end(JSON.stringify(value));
        if (request.url === "/.well-known/openid-configuration")
          json({
            issuer: issuer.url,
            jwks_uri: `${issuer.url}/keys`,
            token_endpoint: `${issuer.url}/token`,
            authorization_endpoint: `${issuer.url}/auth`,
            response_types_supported: ["id_token"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["RS256"],
          });
        else if (request.url === "/keys")
          json({ keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "k", alg: "RS256", use: "sig" }] });
        else if (request.url === "/token" && new URLSearchParams(body).get("refresh_token") === "refresh-0")
          json({
            access_token: "unused",
            token_type: "Bearer",
            id_token: idToken(`oidc-user-${String(++refreshes)}`, Date.now() + 3_600_000),
            refresh_token: "refresh-0",
          });
        else response.writeHead(400).end();
      });
    }, {});
    server = await startRealApiServer([
      `--client-ca-file=${pkiFile("ca.crt")}`,
      `--oidc-issuer-url=${issuer.url}`,
      "--oidc-client-id=cli",
      `--oidc-ca-file=${pkiFile("ca.crt")}`,
      "--oidc-username-claim=sub",
      "--oidc-username-prefix=-",
      "--oidc-groups-claim=groups",
    ]);
    admin = await connect({ kubeconfig: server.kubeconfig, env: {} });
    const text = readFileSync(server.kubeconfig, "utf8");
    cluster = {
      server: describeServer(server.kubeconfig).server,
      "certificate-authority-data": /certificate-authority-data: "([^"]+)"/.exec(text)![1],
    };
  });

  afterAll(async () => {
    await admin?.close();
    await server?.stop();
    await issuer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each<[string, () => object, UserInfo]>([
    [
      "a client certificate as data",
      () => ({ "client-certificate-data": pkiData("client.crt"), "client-key-data": pkiData("client.key") }),
      { username: "jane", groups: ["dev", "system:authenticated"] },
    ],
    [
      "a client certificate in files",
      () => ({ "client-certificate": pkiFile("client.crt"), "client-key": pkiFile("client.key") }),
      { username: "jane" },
    ],
    ["a token", () => ({ token: "alice-token" }), { username: "alice", groups: ["dev", "system:authenticated"] }],
    ["a token in a file", () => ({ tokenFile: put("alice", "alice-token\n") }), { username: "alice" }],
    ["an exec plugin that returns a token", () => plugin({ token: "alice-token" }), { username: "alice" }],
    [
      "an exec plugin that returns a certificate",
      () => plugin({ clientCertificateData: pki("client.crt"), clientKeyData: pki("client.key") }),
      { username: "jane" },
    ],
  ])("accepts %s", async (_name, user, expected) => {
    await using client = await as(user());
    expect(await whoAmI(client)).toMatchObject({
      ...expected,
      ...(expected.groups && { groups: expect.arrayContaining(expected.groups) }),
    });
  });

  it("accepts an ID token and renews it with its refresh token", async () => {
    const provider = (token: string): object => ({
      "auth-provider": {
        name: "oidc",
        config: {
          "idp-issuer-url": issuer.url,
          "client-id": "cli",
          "idp-certificate-authority-data": pkiData("ca.crt"),
          "id-token": token,
          "refresh-token": "refresh-0",
        },
      },
    });
    // The server discovers its issuer in the background.
    await expect
      .poll(
        async () => {
          await using client = await as({ token: idToken("early", Date.now() + 600_000) });
          return await whoAmI(client).then(
            (user) => user.username,
            (error: unknown) => (isUnauthorized(error) ? "not yet" : String(error)),
          );
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe("early");
    await using valid = await as(provider(idToken("first", Date.now() + 600_000)));
    expect(await whoAmI(valid)).toMatchObject({ username: "first", groups: ["ops", "system:authenticated"] });
    expect(refreshes).toBe(0);
    await using stale = await as(provider(idToken("gone", Date.now() - 60_000)));
    expect(await Promise.all([whoAmI(stale), whoAmI(stale)])).toMatchObject([
      { username: "oidc-user-1" },
      { username: "oidc-user-1" },
    ]);
  });

  it("accepts a mounted service account token and rereads it when the server rejects the old one", async () => {
    const namespace = await freshNamespace(admin);
    const accounts = admin.resource(ServiceAccount).namespace(namespace);
    const tokens: string[] = [];
    for (const name of ["first", "second"]) {
      await accounts.create({ metadata: { name } });
      tokens.push((await requestToken(accounts, name)).token);
    }
    const mounted = mkdtempSync(join(folder, "mounted-"));
    writeFileSync(join(mounted, "token"), tokens[0]!);
    writeFileSync(
      join(mounted, "ca.crt"),
      Buffer.from((cluster as Record<string, string>)["certificate-authority-data"]!, "base64"),
    );
    writeFileSync(join(mounted, "namespace"), namespace);
    const url = new URL(server.server);
    const connection = (await findInCluster(
      { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: url.port },
      mounted,
    ))!;
    expect(connection.namespace).toBe(namespace);
    const clock: Clock = systemClock;
    const transport = await createClusterTransport(
      connection,
      await createUserCredential(connection, { clock, env: {}, settings: {} }),
      {},
      { env: {}, clock },
    );
    await using client = createClient({ transport, retry: false });
    expect(await whoAmI(client)).toMatchObject({ username: `system:serviceaccount:${namespace}:first` });
    writeFileSync(join(mounted, "token"), tokens[1]!);
    await accounts.delete("first");
    // The server caches valid tokens for some seconds.
    await expect
      .poll(async () => (await whoAmI(client)).username, { timeout: 60_000, interval: 500 })
      .toBe(`system:serviceaccount:${namespace}:second`);
  });

  it("impersonates user, UID, groups and extra with special characters", async () => {
    const extra = { scopes: ["a, b", "c"], "example.com/héllo": ["wörld"] };
    await using client = await connect({
      kubeconfig: server.kubeconfig,
      env: {},
      impersonate: { user: "jöhn", uid: "u-1", groups: ["x, y", "z"], extra },
    });
    const expected = { username: "jöhn", uid: "u-1", groups: ["x, y", "z", "system:authenticated"], extra };
    expect(await whoAmI(client)).toEqual(expected);
    expect(await whoAmI(withImpersonation(admin, { user: "ann", groups: ["x"] }))).toMatchObject({
      username: "ann",
      groups: ["x", "system:authenticated"],
    });
    await using alice = await as({ token: "alice-token" }, { impersonate: { user: "admin" } });
    expect(isForbidden(await whoAmI(alice).catch((error: unknown) => error))).toBe(true);
  });

  it.each<[string, () => object, unknown, ConnectOptions?]>([
    ["an unknown token", () => ({ token: "s3cret-token" }), { name: "StatusError" }],
    [
      "an ID token of another issuer's key",
      () => ({
        token: `${idToken("x", Date.now() + 60_000)
          .split(".")
          .slice(0, 2)
          .join(".")}.s3cret`,
      }),
      { name: "StatusError" },
    ],
    [
      "an expired client certificate",
      () => ({ "client-certificate": pkiFile("client-expired.crt"), "client-key": pkiFile("client-expired.key") }),
      { name: "StatusError" },
    ],
    [
      "an authority that did not sign the server's certificate",
      () => ({ token: "s3cret-token" }),
      { name: "TransportError", message: expect.stringContaining("not trusted") },
      { ca: pki("other-ca.crt") },
    ],
    [
      "another name than the certificate's",
      () => ({ token: "s3cret-token" }),
      { name: "TransportError", code: "ERR_TLS_CERT_ALTNAME_INVALID" },
      { tlsServerName: "elsewhere.test" },
    ],
  ])("rejects %s without leaking secrets", async (_name, user, expected, options) => {
    await using client = await as(user(), options);
    const failure: unknown = await whoAmI(client).then(
      () => "let in",
      (error: unknown) => error,
    );
    expect(failure).toMatchObject(expected as object);
    if ((failure as Error).name === "StatusError") expect(isUnauthorized(failure)).toBe(true);
    expect(
      `${inspect(failure, { depth: 20, showHidden: true })} ${JSON.stringify(failure)} ${(failure as Error).stack!}`,
    ).not.toContain("s3cret");
  });
});

if (missing !== undefined) console.log(`logging in to a real server: skipped: ${missing}`);
