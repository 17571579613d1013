import { chmod, readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { pki, pkiData } from "../local-server.js";
import { call, clusterServer, loginFiles, movableClock, open } from "./login-setup.js";

const { path, put, kubeconfig } = loginFiles();

const plugin = async (body: string): Promise<string> => {
  const file = await put(
    "plugin.mjs",
    `#!${process.execPath}\nimport { appendFileSync, readFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(path("runs"))}, (process.env.KUBERNETES_EXEC_INFO ?? "none") + "\\n");\n${body}`,
  );
  await chmod(file, 0o755);
  return file;
};
const runs = async (): Promise<string[]> =>
  (await readFile(path("runs"), "utf8").catch(() => "")).split("\n").filter(Boolean);
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
      `const n = readFileSync(${JSON.stringify(path("runs"))}, "utf8").split("\\n").length - 1;\nconsole.log(JSON.stringify({ apiVersion: "${v1}", kind: "ExecCredential", status: { token: "run-" + n } }));`,
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
    [
      "fails",
      "console.error('s3cret'); process.exit(3);",
      'failed with exit code 3; execStderr: "inherit" shows its messages',
    ],
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
