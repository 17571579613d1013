import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, TransportError } from "../../../src/errors/errors.js";
import type { Clock } from "../../../src/internal/clock.js";
import { systemClock } from "../../../src/internal/clock.js";
import type { ConnectedClient, ConnectOptions } from "../../../src/node/connection/connect.js";
import { connect } from "../../../src/node/connection/connect.js";
import { bodyOf, pki, pkiData, pkiFile, serve } from "./local-server.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "login-"));
});
afterEach(() => rm(folder, { recursive: true }));

const put = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

const kubeconfig = (server: string, user: object, cluster: object = {}): Promise<string> =>
  put(
    "config",
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [
        {
          name: "c",
          cluster: {
            server,
            ...(server.startsWith("https") && { "certificate-authority-data": pkiData("ca.crt") }),
            ...cluster,
          },
        },
      ],
      users: [{ name: "u", user }],
    }),
  );

/** Request as the server received it. */
interface Seen {
  authorization: string | undefined;
  subject: string | string[] | undefined;
  url: string | undefined;
  body: string;
  raw: string[];
}

async function clusterServer(
  accept: (authorization: string | undefined) => boolean = () => true,
  tls: { certificate?: string; mutual?: boolean } | undefined = {},
) {
  const seen: Seen[] = [];
  const server = await serve((request: IncomingMessage, response: ServerResponse) => {
    const certificate = (request.socket as TLSSocket).getPeerCertificate?.();
    void bodyOf(request).then((body) => {
      seen.push({
        authorization: request.headers.authorization,
        subject: certificate?.subject?.CN,
        url: request.url,
        body,
        raw: request.rawHeaders,
      });
      const ok = accept(request.headers.authorization);
      response.writeHead(ok ? 200 : 401, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          ok
            ? {}
            : {
                kind: "Status",
                apiVersion: "v1",
                status: "Failure",
                message: "Unauthorized",
                reason: "Unauthorized",
                code: 401,
              },
        ),
      );
    });
  }, tls);
  return Object.assign(server, { seen });
}

const options: ConnectOptions = { env: { PATH: process.env["PATH"] }, stdinAvailable: false, execStderr: "ignore" };
const open = async (file: string, more: ConnectOptions = {}): Promise<ConnectedClient> =>
  connect({ kubeconfig: file, ...options, retry: false, ...more });
const call = async (client: ConnectedClient): Promise<unknown> => (await client.request({ path: "/api" })).json();

/** Clock whose time only changes when the test sets it. Its timers are real. */
function movableClock(): Clock & { advance(ms: number): void } {
  let offset = 0;
  const start = Date.now();
  return {
    now: () => start + offset,
    monotonic: () => offset,
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs),
    advance: (ms) => void (offset += ms),
  };
}

describe("static credentials", () => {
  it.each<[string, object, string | undefined]>([
    ["a token", { token: "t0ken" }, "Bearer t0ken"],
    [
      "a user name and password",
      { username: "jané", password: "p:w" },
      `Basic ${Buffer.from("jané:p:w").toString("base64")}`,
    ],
    ["no credentials", {}, undefined],
    [
      "a token rather than an exec plugin",
      {
        token: "t0ken",
        exec: { command: "/none", apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" },
      },
      "Bearer t0ken",
    ],
  ])("send %s", async (_name, user, authorization) => {
    await using server = await clusterServer();
    await using client = await open(await kubeconfig(server.url, user));
    await call(client);
    expect(server.seen.map((seen) => seen.authorization)).toEqual([authorization]);
  });

  it("send a client certificate from data or files", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    for (const user of [
      { "client-certificate-data": pkiData("client.crt"), "client-key-data": pkiData("client.key") },
      { "client-certificate": pkiFile("client2.crt"), "client-key": pkiFile("client2.key") },
      {
        "client-certificate": "/none",
        "client-certificate-data": pkiData("client.crt"),
        "client-key-data": pkiData("client.key"),
        "client-key": "/none",
      },
    ]) {
      await using client = await open(await kubeconfig(server.url, user));
      await call(client);
    }
    expect(server.seen.map((seen) => seen.subject)).toEqual(["jane", "joan", "jane"]);
  });

  it("prefer the caller's client certificate to all credentials of the user", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    const [cert, key] = [pki("client2.crt"), pki("client2.key")];
    for (const options of [
      { server: server.url, ca: pki("ca.crt") },
      {
        kubeconfig: await kubeconfig(server.url, {
          token: "t0ken",
          "client-certificate": pkiFile("client.crt"),
          "client-key": pkiFile("client.key"),
        }),
      },
    ]) {
      await using client = await connect({ ...options, cert, key });
      await call(client);
    }
    expect(server.seen.map((seen) => [seen.subject, seen.authorization])).toEqual([
      ["joan", undefined],
      ["joan", undefined],
    ]);
    await expect(connect({ server: server.url, cert })).rejects.toThrow(
      "options.key is required when options.cert is set",
    );
    for (const name of ["kubeconfig", "kubeconfigText", "context", "cluster", "user"])
      await expect(connect({ server: server.url, [name]: "x" })).rejects.toThrow(
        `options.${name}: cannot be combined with options.server`,
      );
    await expect(connect({ server: server.url, key })).rejects.toThrow(
      "options.cert is required when options.key is set",
    );
    await expect(connect({ server: server.url, cert: "x", key })).rejects.toThrow(
      "options.cert: contains no PEM certificate",
    );
    await expect(connect({ server: server.url, cert, key: pki("client.key") })).rejects.toThrow(
      "options.key: does not match the client certificate",
    );
  });

  it("are not sent over plain http to another machine, like kubectl", async () => {
    await using server = await clusterServer(undefined, undefined as never);
    await using plain = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const file = await kubeconfig("http://cluster.test", { token: "t0ken" });
    // The proxy stands in for the other machine.
    await using proxy = await serve((request, response) =>
      response.end(JSON.stringify({ url: request.url, authorization: request.headers.authorization ?? null })),
    );
    proxy.server.on("connect", (_request: IncomingMessage, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", (data: Buffer) =>
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${JSON.stringify(data.toString())}`,
        ),
      );
    });
    await using client = await open(file, { proxyUrl: proxy.url });
    expect(String(await call(client))).not.toMatch(/authorization/i);
    await using near = await open(await kubeconfig(plain.url, { token: "t0ken" }));
    expect(await call(near)).toMatchObject({ authorization: "Bearer t0ken" });
    void server;
  });

  it("that are contradictory or broken are rejected before any request", async () => {
    await using server = await clusterServer();
    for (const [user, cluster, message] of [
      [{ token: "a", username: "b" }, {}, "users[0].user: sets both a token and a username"],
      [
        { "client-certificate-data": pkiData("client.crt") },
        {},
        "users[0].user.client-key: is required when client-certificate is set",
      ],
      [
        { "client-certificate-data": pkiData("client.crt"), "client-key-data": pkiData("client2.key") },
        {},
        "client-key-data: does not match the client certificate",
      ],
      [
        {
          "client-certificate-data": Buffer.from("s3cret").toString("base64"),
          "client-key-data": pkiData("client.key"),
        },
        {},
        "client-certificate-data: contains no PEM certificate",
      ],
      [
        {
          "client-certificate-data": pkiData("client.crt"),
          "client-key-data": Buffer.from("s3cret").toString("base64"),
        },
        {},
        "client-key-data: contains no usable PEM key",
      ],
      [
        { "client-certificate": "/none/a.crt", "client-key": "/none/a.key" },
        {},
        "client-certificate: /none/a.crt: cannot be read (ENOENT)",
      ],
      [
        {},
        { "certificate-authority-data": Buffer.from("s3cret").toString("base64") },
        "certificate-authority-data: contains no PEM certificate",
      ],
      [
        {},
        { "insecure-skip-tls-verify": true },
        "certificate-authority and insecure-skip-tls-verify cannot be combined",
      ],
      [{ token: "s3cret\r\nx: y" }, {}, "users[0].user.token: invalid token"],
      [{ tokenFile: "/none/token" }, {}, ""],
      [{ username: "a:b", password: "s3cret" }, {}, "users[0].user.username: must not contain a colon"],
      [
        { "auth-provider": { name: "gcp" } },
        {},
        'unknown auth provider "gcp": Kubernetes removed it; use the exec plugin gke-gcloud-auth-plugin',
      ],
      [{ "auth-provider": { name: "other" } }, {}, 'unknown auth provider "other"'],
      [{}, { "proxy-url": "ftp://user:s3cret@proxy" }, "proxy-url: must be http, https or socks5, not ftp"],
    ] as const) {
      const failure = await open(await kubeconfig(server.url, user, cluster))
        .then(async (client) => {
          await using open = client;
          return await call(open);
        })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ConfigError);
      expect((failure as Error).message).toContain(message);
      expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
    }
    expect(server.seen).toEqual([]);
  });
});

describe("TLS verification", () => {
  it.each<[string, string, object, string, RegExp]>([
    [
      "an untrusted authority",
      "server",
      { "certificate-authority-data": pkiData("other-ca.crt") },
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      /authority that is not trusted/,
    ],
    [
      "a certificate for another host name",
      "elsewhere",
      {},
      "ERR_TLS_CERT_ALTNAME_INVALID",
      /certificate is for another host name/,
    ],
    ["an expired certificate", "expired", {}, "CERT_HAS_EXPIRED", /certificate has expired/],
  ])("rejects %s with a TransportError", async (_name, certificate, cluster, code, message) => {
    await using server = await clusterServer(undefined, { certificate });
    await using client = await open(await kubeconfig(server.url, { token: "t0ken" }, cluster));
    const failure = await call(client).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect((failure as TransportError).code).toBe(code);
    expect((failure as TransportError).message).toMatch(message);
    expect(inspect(failure, { depth: 10 })).not.toContain("t0ken");
    expect(server.seen).toEqual([]);
  });

  it("respects tls-server-name, and accepts any certificate with insecure-skip-tls-verify", async () => {
    await using server = await clusterServer(undefined, { certificate: "elsewhere" });
    await using named = await open(await kubeconfig(server.url, {}, { "tls-server-name": "elsewhere.test" }));
    await call(named);
    await using careless = await open(
      await kubeconfig(server.url, {}, { "certificate-authority-data": "", "insecure-skip-tls-verify": true }),
    );
    await call(careless);
    expect(server.seen.length).toBe(2);
  });

  it("switches to new certificate files within a minute, and keeps the old ones until the new pair matches", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    const [cert, key] = [await put("c.crt", pki("client.crt")), await put("c.key", pki("client.key"))];
    const clock = movableClock();
    await using client = await open(await kubeconfig(server.url, { "client-certificate": cert, "client-key": key }), {
      clock,
    });
    await call(client);
    await writeFile(cert, pki("client2.crt"));
    clock.advance(61_000);
    await call(client);
    await writeFile(key, pki("client2.key"));
    await call(client);
    clock.advance(61_000);
    await call(client);
    expect(server.seen.map((seen) => seen.subject)).toEqual(["jane", "jane", "jane", "joan"]);
    expect(server.connections()).toBe(2);
  });
});

describe("certificate authority file", () => {
  it("is read again within a minute, and the last valid content stays in use", async () => {
    await using server = await clusterServer();
    const file = await put("ca.crt", pki("other-ca.crt"));
    const clock = movableClock();
    await using client = await open(
      await kubeconfig(server.url, {}, { "certificate-authority-data": undefined, "certificate-authority": file }),
      { clock },
    );
    await expect(call(client)).rejects.toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    await writeFile(file, pki("ca.crt"));
    clock.advance(61_000);
    await call(client);
    await writeFile(file, "nothing");
    clock.advance(61_000);
    await call(client);
    await rm(file);
    clock.advance(61_000);
    await call(client);
    expect(server.seen.length).toBe(3);
  });
});

describe("token file", () => {
  it("is read again every minute and after a 401, and the last token stays if the file is gone", async () => {
    let valid = "one";
    await using server = await clusterServer((authorization) => authorization === `Bearer ${valid}`);
    const file = await put("token", "one\n");
    const clock = movableClock();
    await using client = await open(await kubeconfig(server.url, { tokenFile: "token" }), { clock });
    await call(client);
    await writeFile(file, "two");
    await call(client);
    valid = "two";
    await call(client);
    await writeFile(file, "three");
    valid = "three";
    clock.advance(61_000);
    await call(client);
    await rm(file);
    clock.advance(61_000);
    await call(client);
    expect(server.seen.map((seen) => seen.authorization)).toEqual(
      ["one", "one", "one", "two", "three", "three"].map((token) => `Bearer ${token}`),
    );
    valid = "four";
    await expect(call(client)).rejects.toMatchObject({ name: "StatusError", code: 401 });
    expect(server.seen.length).toBe(7);
  });
});

it("token is used as long as its tokenFile does not exist, like kubectl", async () => {
  await using server = await clusterServer();
  const clock = movableClock();
  await using client = await open(await kubeconfig(server.url, { token: "first", tokenFile: "later" }), { clock });
  await call(client);
  await put("later", "second");
  await call(client);
  clock.advance(61_000);
  await call(client);
  expect(server.seen.map((seen) => seen.authorization)).toEqual(["Bearer first", "Bearer first", "Bearer second"]);
});

const plugin = async (body: string): Promise<string> => {
  const file = await put(
    "plugin.mjs",
    `#!${process.execPath}\nimport { appendFileSync, readFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(join(folder, "runs"))}, (process.env.KUBERNETES_EXEC_INFO ?? "none") + "\\n");\n${body}`,
  );
  await chmod(file, 0o755);
  return file;
};
const runs = async (): Promise<string[]> =>
  (await readFile(join(folder, "runs"), "utf8").catch(() => "")).split("\n").filter(Boolean);
const v1 = "client.authentication.k8s.io/v1";
const exec = (command: string, more: object = {}): object => ({
  exec: { command, apiVersion: v1, interactiveMode: "Never", ...more },
});
const answer = (status: object, apiVersion = v1): string =>
  `console.log(${JSON.stringify(JSON.stringify({ apiVersion, kind: "ExecCredential", status }))});`;

describe("exec plugin", () => {
  it("runs once for many requests, with arguments, environment and cluster info", async () => {
    await using server = await clusterServer();
    const command = await plugin(
      `console.log(JSON.stringify({ apiVersion: "${v1}", kind: "ExecCredential", status: { token: process.argv[2] + "-" + process.env.MORE + "-" + (process.env.SECRET_OF_PARENT ?? "none") } }));`,
    );
    const cluster = {
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }],
      "tls-server-name": "localhost",
    };
    await using client = await open(
      await kubeconfig(
        server.url,
        exec(command, { args: ["arg"], env: [{ name: "MORE", value: "env" }], provideClusterInfo: true }),
        cluster,
      ),
    );
    await Promise.all(Array.from({ length: 10 }, () => call(client)));
    await call(client);
    expect(new Set(server.seen.map((seen) => seen.authorization))).toEqual(new Set(["Bearer arg-env-none"]));
    const [info, ...others] = await runs();
    expect(others).toEqual([]);
    expect(JSON.parse(info!)).toEqual({
      apiVersion: v1,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: server.url,
          "tls-server-name": "localhost",
          "certificate-authority-data": pkiData("ca.crt"),
          config: { audience: "a" },
        },
      },
    });
  });

  it("runs again when the credential expires", async () => {
    await using server = await clusterServer();
    const clock = movableClock();
    const command = await plugin(
      answer({ token: "t", expirationTimestamp: new Date(clock.now() + 100_000).toISOString() }),
    );
    await using client = await open(await kubeconfig(server.url, exec(command)), { clock });
    await call(client);
    clock.advance(89_000);
    await call(client);
    expect((await runs()).length).toBe(1);
    clock.advance(2_000);
    await call(client);
    expect((await runs()).length).toBe(2);
  });

  it("runs once more after a 401, and the request is retried once with its body", async () => {
    await using server = await clusterServer((authorization) => authorization === "Bearer run-2");
    const command = await plugin(
      `const n = readFileSync(${JSON.stringify(join(folder, "runs"))}, "utf8").split("\\n").length - 1;\nconsole.log(JSON.stringify({ apiVersion: "${v1}", kind: "ExecCredential", status: { token: "run-" + n } }));`,
    );
    await using client = await open(await kubeconfig(server.url, exec(command)));
    await client.request({ method: "POST", path: "/api", body: { a: 1 } });
    expect(server.seen.map(({ authorization, body }) => [authorization, body])).toEqual([
      ["Bearer run-1", '{"a":1}'],
      ["Bearer run-2", '{"a":1}'],
    ]);
    expect(server.connections()).toBe(1);
  });

  it("does not run for every request if the server rejects all its credentials", async () => {
    await using server = await clusterServer(() => false);
    const command = await plugin(answer({ token: "t" }));
    await using client = await open(await kubeconfig(server.url, exec(command)));
    for (let index = 0; index < 5; index++) await expect(call(client)).rejects.toMatchObject({ code: 401 });
    expect((await runs()).length).toBe(2);
    expect(server.seen.length).toBe(5);
  });

  it("may return a client certificate, as YAML, with v1beta1", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    const indent = (text: string): string =>
      text
        .trim()
        .split("\n")
        .map((line) => `    ${line}`)
        .join("\n");
    const yaml = `apiVersion: client.authentication.k8s.io/v1beta1\nkind: ExecCredential\nstatus:\n  clientCertificateData: |\n${indent(pki("client.crt"))}\n  clientKeyData: |\n${indent(pki("client.key"))}\n`;
    const command = await plugin(`console.log(${JSON.stringify(yaml)});`);
    await using client = await open(
      await kubeconfig(server.url, exec(command, { apiVersion: "client.authentication.k8s.io/v1beta1" })),
    );
    await call(client);
    expect(server.seen.map((seen) => seen.subject)).toEqual(["jane"]);
  });

  it.each<[string, string, string]>([
    ["fails", "console.error('s3cret'); process.exit(3);", "failed with exit code 3"],
    ["is killed", "process.kill(process.pid, 'SIGKILL');", "was killed by SIGKILL"],
    ["prints garbage", "console.log('s3cret: ['); ", "printed neither JSON nor YAML"],
    ["prints a deep YAML tree", "console.log('- '.repeat(100_000)); ", "printed neither JSON nor YAML"],
    ["prints a long YAML list", "console.log('a:' + '\\n- b'.repeat(100_000)); ", "kind: must be ExecCredential"],
    ["prints text", "console.log('s3cret');", "must be a mapping, not a string"],
    ["prints nothing", "", "must be a mapping, not null"],
    [
      "prints endlessly",
      "const line = 's3cret'.repeat(20_000); const more = () => process.stdout.write(line, more); more(); setInterval(() => {}, 1000);",
      "printed more than 1048576 bytes",
    ],
    ["hangs", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);", "did not finish within 400 ms"],
    [
      "leaves a child process that keeps the pipe open",
      `import { spawn } from "node:child_process"; spawn(process.execPath, ["-e", "setTimeout(() => {}, 4000)"], { stdio: ["ignore", "inherit", "ignore"], detached: true }).unref(); process.exit(4);`,
      "failed with exit code 4",
    ],
    [
      "returns another version",
      answer({ token: "s3cret" }, "client.authentication.k8s.io/v1beta1"),
      "apiVersion: must be client.authentication.k8s.io/v1",
    ],
    ["returns no status", `console.log('{"apiVersion": "${v1}", "kind": "ExecCredential"}');`, "status: is required"],
    ["returns no credential", answer({}), "status: must contain a token, or a certificate and a key"],
    [
      "returns a certificate without its key",
      answer({ clientKeyData: "s3cret" }),
      "status.clientCertificateData: is required when clientKeyData is set",
    ],
    [
      "returns a key that does not match the certificate",
      answer({ clientCertificateData: pki("client.crt"), clientKeyData: pki("client2.key") }),
      "does not match the client certificate",
    ],
    [
      "returns an invalid expiry",
      answer({ token: "s3cret", expirationTimestamp: "tomorrow" }),
      "expirationTimestamp: is not an RFC 3339 time",
    ],
    ["returns a token that a header cannot contain", answer({ token: "s3cret\nx" }), "status.token: invalid token"],
  ])("throws a ConfigError without its output if it %s", async (_name, body, message) => {
    await using server = await clusterServer();
    await using client = await open(await kubeconfig(server.url, exec(await plugin(body))), {
      execTimeoutMs: message.includes("400 ms") ? 400 : 10_000,
    });
    const failure = await call(client).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toContain(message);
    expect((failure as Error).message).toContain("users[0].user.exec");
    expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
    expect(server.seen).toEqual([]);
  });

  it("that is not installed throws a ConfigError with the hint, without control characters", async () => {
    await using server = await clusterServer();
    await using client = await open(
      await kubeconfig(server.url, exec("no-such-plugin", { installHint: "get it \u001b[1mhere" })),
    );
    await expect(call(client)).rejects.toThrow(/plugin "no-such-plugin" was not found: get it U\+001B\[1mhere/);
    await using needy = await open(await kubeconfig(server.url, exec("x", { interactiveMode: "Always" })));
    await expect(call(needy)).rejects.toThrow("interactiveMode: is Always, but standard input is not a terminal");
  });

  it("runs only if it is allowed", async () => {
    await using server = await clusterServer();
    const command = await plugin(answer({ token: "t" }));
    const file = await kubeconfig(server.url, exec(command));
    for (const allowedPlugins of [[], ["plugin.mjs", `${command}x`]]) {
      await using client = await open(file, { allowedPlugins });
      await expect(call(client)).rejects.toThrow(
        /users\[0\]\.user\.exec\.command: plugin ".*plugin\.mjs" is not in options.allowedPlugins/,
      );
    }
    expect(await runs()).toEqual([]);
    await using client = await open(file, { allowedPlugins: ["aws", command] });
    await call(client);
    expect((await runs()).length).toBe(1);
  });

  it("does not delay a caller whose signal aborts, and stops with the client", async () => {
    await using server = await clusterServer();
    const client = await open(await kubeconfig(server.url, exec(await plugin("setInterval(() => {}, 1000);"))));
    const controller = new AbortController();
    const waiting = client.request({ path: "/api", signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const other = call(client);
    await Promise.all([expect(other).rejects.toMatchObject({ name: "ClosedError" }), client.close()]);
  });
});

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

describe("impersonation", () => {
  it("sends each group and each extra value in a header of its own, encoded as UTF-8", async () => {
    await using server = await clusterServer();
    await using client = await open(
      await kubeconfig(server.url, {
        token: "t",
        as: "jané",
        "as-uid": "u",
        "as-groups": ["a, b", "c"],
        "as-user-extra": { "Acme.com/Scope": ["x", "y"] },
      }),
    );
    await call(client);
    const raw = server.seen[0]!.raw;
    const lines = raw.flatMap((name, index) =>
      index % 2 === 0 && name.startsWith("impersonate-")
        ? [`${name}: ${Buffer.from(raw[index + 1]!, "latin1").toString()}`]
        : [],
    );
    expect(lines.sort()).toEqual([
      "impersonate-extra-acme.com%2fscope: x",
      "impersonate-extra-acme.com%2fscope: y",
      "impersonate-group: a, b",
      "impersonate-group: c",
      "impersonate-uid: u",
      "impersonate-user: jané",
    ]);
  });

  it.each([
    ["as", "a\r\nx: y"],
    ["as", "a\n"],
    ["as", " a"],
    ["as-uid", "\u0000"],
  ])("rejects %s: %j", async (field, value) => {
    await using server = await clusterServer();
    await expect(open(await kubeconfig(server.url, { as: "a", [field]: value }))).rejects.toThrow(/impersonat/);
    expect(server.seen).toEqual([]);
  });
});

describe("secrets", () => {
  it("do not appear in anything that a client exposes", async () => {
    await using server = await clusterServer();
    await using client = await open(await kubeconfig(server.url, { token: "s3cret-token" }));
    await call(client);
    expect(inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client)).not.toContain("s3cret");
  });

  it.each<
    [
      string,
      object,
      (
        request: { headers: Record<string, unknown> },
        response: { destroy(): void; writeHead(code: number): { end(text: string): void } },
      ) => void,
    ]
  >([
    [
      "is refused with an error that contains the token",
      { token: "s3cret.s3cret.s3cret" },
      (request, response) =>
        response.writeHead(401).end(`bad credentials: ${String(request.headers["authorization"])}`),
    ],
    [
      "fails with a password",
      { username: "u", password: "s3cret-s3cret" },
      (request, response) => response.writeHead(500).end(String(request.headers["authorization"])),
    ],
    ["breaks", { token: "s3cret" }, (_, response) => response.destroy()],
    ["gets no response", { token: "s3cret" }, () => undefined],
  ])("do not appear in the error if a request %s", async (_name, user, handle) => {
    await using server = await serve((request, response) => handle(request as never, response as never), {});
    await using client = await open(await kubeconfig(server.url, user), { timeoutMs: 300, retry: false });
    const error = await call(client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    const shown =
      inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + String((error as Error).stack);
    for (const secret of ["s3cret", Buffer.from("u:s3cret-s3cret").toString("base64")])
      expect(shown).not.toContain(secret);
  });

  it("are not sent to the target of a redirect", async () => {
    await using elsewhere = await clusterServer();
    await using server = await serve(
      (_request, response) => response.writeHead(307, { location: `${elsewhere.url}/` }).end(),
      {},
    );
    await using client = await open(await kubeconfig(server.url, { token: "s3cret" }));
    await expect(call(client)).rejects.toThrow();
    expect(elsewhere.seen).toEqual([]);
  });
});

describe("server that requires a client certificate", () => {
  it.each<[string, object]>([
    ["no certificate", {}],
    [
      "an expired certificate",
      { "client-certificate-data": pkiData("client-expired.crt"), "client-key-data": pkiData("client-expired.key") },
    ],
  ])("causes a TransportError without delay for %s", async (_name, user) => {
    await using server = await clusterServer(undefined, { mutual: true });
    await using client = await open(await kubeconfig(server.url, user));
    const failure = await call(client).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect((failure as TransportError).message).toMatch(/client certificate|connection closed|connection reset/);
    expect(server.seen).toEqual([]);
  });
});
