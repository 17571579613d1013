import { chmod, readFile, stat } from "node:fs/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { bodyOf, pkiData, pkiFile, serve } from "../local-server.js";
import { call, clusterServer, loginFiles, movableClock, open } from "./login-setup.js";

const { put, kubeconfig } = loginFiles();

describe("OIDC provider", () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = (name: string, exp: number, claims: object = {}): string =>
    `${encode({ alg: "RS256" })}.${encode({ sub: name, exp: Math.floor(exp / 1_000), iat: 1, aud: "cli", ...claims })}.s3cret-${name}`;
  const renewed = (tokens: object): object => ({ access_token: "s3cret", token_type: "Bearer", ...tokens });

  interface Issuer extends AsyncDisposable {
    url: string;
    endpoint?: string;
    /** Issuer in the discovery document. Default: the server's own. */
    named?: string;
    forms: Record<string, string>[];
    respond: (form: Record<string, string>) => [number, unknown];
  }
  async function issuer(methods?: string[]): Promise<Issuer> {
    const result: Omit<Issuer, "url" | typeof Symbol.asyncDispose> = {
      forms: [] as Record<string, string>[],
      respond: (_form: Record<string, string>): [number, unknown] => [500, {}],
    };
    const server = await serve((request, response) => {
      void bodyOf(request).then((body) => {
        if (request.url === "/realm/.well-known/openid-configuration") {
          response.end(
            JSON.stringify({
              issuer: result.named ?? `${server.url}/realm/`,
              token_endpoint: result.endpoint ?? `${server.url}/token`,
              ...(methods && { token_endpoint_auth_methods_supported: methods }),
            }),
          );
          return;
        }
        const form = {
          ...Object.fromEntries(new URLSearchParams(body)),
          ...(request.headers.authorization && { authorization: request.headers.authorization }),
        };
        result.forms.push(form);
        const [status, value] = result.respond(form);
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(typeof value === "string" ? value : JSON.stringify(value));
      });
    }, {});
    return Object.assign(result, {
      url: `${server.url}/realm/`,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    });
  }
  const provider = (url: string, config: object): object => ({
    "auth-provider": {
      name: "oidc",
      config: {
        "idp-issuer-url": url,
        "client-id": "cli",
        "idp-certificate-authority-data": pkiData("ca.crt"),
        ...config,
      },
    },
  });

  it("gets the id token, and refreshes it once for all requests when it expires", async () => {
    await using server = await clusterServer();
    await using idp = await issuer();
    const clock = movableClock();
    let count = 0;
    idp.respond = () => [
      200,
      renewed({
        id_token: token(`new${String(++count)}`, clock.now() + 3_600_000, { iss: idp.url }),
        refresh_token: `refresh${String(count)}`,
      }),
    ];
    const file = await kubeconfig(
      server.url,
      provider(idp.url, {
        "id-token": token("old", clock.now() + 60_000),
        "refresh-token": "refresh0",
        "client-secret": "s3 cret",
      }),
    );
    await using client = await open(file, { clock });
    await call(client);
    clock.advance(55_000);
    await Promise.all([call(client), call(client), call(client)]);
    clock.advance(3_600_000);
    await call(client);
    expect(server.seen.map((seen) => seen.authorization?.split("s3cret-")[1])).toEqual([
      "old",
      "new1",
      "new1",
      "new1",
      "new2",
    ]);
    const authorization = `Basic ${Buffer.from("cli:s3+cret").toString("base64")}`;
    expect(idp.forms).toEqual([
      { grant_type: "refresh_token", refresh_token: "refresh0", authorization },
      { grant_type: "refresh_token", refresh_token: "refresh1", authorization },
    ]);
    expect(await readFile(file, "utf8")).toContain("refresh0");
  });

  it("has its tokens written back with persistTokens, keeping the file's mode and other content", async () => {
    await using server = await clusterServer();
    await using idp = await issuer(["client_secret_post"]);
    const fresh = token("new", Date.now() + 3_600_000, { iss: idp.url });
    idp.respond = () => [200, renewed({ id_token: fresh })];
    const json = JSON.parse(await readFile(await kubeconfig(server.url, {}), "utf8")) as { clusters: unknown };
    const file = await put(
      "yaml",
      `# mine\ncurrent-context: c\ncontexts:\n- {name: c, context: {cluster: c, user: u}}\nclusters: ${JSON.stringify(json.clusters)}\nusers:\n- name: other\n- name: u # me\n  user:\n    auth-provider:\n      name: oidc\n      config:\n        idp-issuer-url: ${idp.url}\n        client-id: cli\n        client-secret: s\n        idp-certificate-authority: ${pkiFile("ca.crt")}\n        refresh-token: refresh0\n`,
    );
    await chmod(file, 0o600);
    await using client = await open(file, { persistTokens: true });
    await call(client);
    const text = await readFile(file, "utf8");
    expect(text).toContain("# mine\n");
    expect(text).toContain("- name: u # me\n");
    expect(text).toContain(`id-token: ${fresh}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(idp.forms).toEqual([
      { grant_type: "refresh_token", refresh_token: "refresh0", client_id: "cli", client_secret: "s" },
    ]);
    await using again = await open(file);
    await call(again);
    expect(idp.forms.length).toBe(1);
  });

  it("refreshes the id token after a 401", async () => {
    await using idp = await issuer();
    const fresh = token("new", Date.now() + 3_600_000, { iss: idp.url });
    await using server = await clusterServer((authorization) => authorization === `Bearer ${fresh}`);
    idp.respond = () => [200, renewed({ id_token: fresh })];
    await using client = await open(
      await kubeconfig(
        server.url,
        provider(idp.url, { "id-token": token("revoked", Date.now() + 3_600_000), "refresh-token": "r" }),
      ),
    );
    await call(client);
    expect(server.seen.length).toBe(2);
  });

  it("never receives the refresh token in clear text", async () => {
    await using server = await clusterServer();
    let asked = 0;
    await using clear = await serve((_request, response) => {
      asked++;
      response.end("{}");
    });
    await using idp = await issuer();
    idp.endpoint = `${clear.url}/token`;
    await using client = await open(await kubeconfig(server.url, provider(idp.url, { "refresh-token": "s3cret" })));
    await expect(call(client)).rejects.toThrow(/the token endpoint of https:.* is not https/);
    expect([asked, server.seen, idp.forms]).toEqual([0, [], []]);
  });

  it("is rejected if it reports another issuer URL", async () => {
    await using server = await clusterServer();
    await using idp = await issuer();
    idp.named = "https://evil.test/realm/";
    await using client = await open(await kubeconfig(server.url, provider(idp.url, { "refresh-token": "s3cret" })));
    await expect(call(client)).rejects.toThrow(/reports another issuer URL than idp-issuer-url/);
    expect([server.seen, idp.forms]).toEqual([[], []]);
  });

  it.each<[string, object, [number, unknown], string]>([
    ["there is no refresh token", { "id-token": "h.e30.s" }, [200, {}], ""],
    [
      "the token has expired and cannot be refreshed",
      { "id-token": `h.${Buffer.from('{"exp":1}').toString("base64url")}.s3cret` },
      [200, {}],
      "has expired or was refused, and there is no refresh-token",
    ],
    ["the token is invalid", { "id-token": "s3cret" }, [200, {}], "id-token: is not a JSON Web Token"],
    [
      "the provider refuses",
      { "refresh-token": "s3cret" },
      [400, { error: "invalid_grant", error_description: "s3cret" }],
      "responded with 400 invalid_grant",
    ],
    [
      "the provider returns an HTML page",
      { "refresh-token": "s3cret" },
      [200, "<html>s3cret</html>"],
      'failed to parse "response" body as JSON',
    ],
    ["the provider returns no id token", { "refresh-token": "s3cret" }, [200, renewed({})], "returned no new id token"],
    [
      "the provider returns no access token",
      { "refresh-token": "s3cret" },
      [200, { id_token: "s3cret" }],
      '/token: "response" body "access_token" property must be a string',
    ],
    [
      "the provider returns an id token of another issuer",
      { "refresh-token": "s3cret" },
      [200, renewed({ id_token: token("s3cret", Date.now() + 60_000, { iss: "https://s3cret.test" }) })],
      'unexpected JWT "iss" (issuer) claim value',
    ],
    [
      "the provider requires client authentication",
      { "refresh-token": "s3cret" },
      [401, { error: "invalid_client" }],
      "/token responded with 401 invalid_client",
    ],
    ["the provider redirects", { "refresh-token": "s3cret" }, [302, {}], "responded with 302"],
  ])("throws a ConfigError without secrets if %s", async (_name, config, response, message) => {
    await using server = await clusterServer();
    await using idp = await issuer();
    idp.respond = () => response;
    await using client = await open(await kubeconfig(server.url, provider(idp.url, config)));
    const failure = await call(client).catch((error: unknown) => error);
    if (message === "") {
      expect(server.seen[0]?.authorization).toBe("Bearer h.e30.s");
      return;
    }
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toContain(message);
    expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
  });
});
