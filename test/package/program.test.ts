import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, inject, it } from "vitest";

const { app, folder } = inject("packed");
const program = join(folder, "dist/cli/main.js");

function call(...words: string[]): { code: number | null; out: string; err: string } {
  const { KUBECONFIG: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: app,
    env,
    encoding: "utf8",
    timeout: 150_000,
  });
  return { code: status, out: stdout, err: stderr };
}

it.each([
  [["--help"], 0, /kubestream COMMAND/],
  [["--version"], 0, /^\d+[.]\d+[.]\d+/],
  [["demo", "--help"], 0, /--for SECONDS/],
  [["apiserver", "--help"], 0, /--port/],
  [["cluster", "--help"], 0, /--nodes/],
  [["envtest", "--help"], 0, /KUBEBUILDER_ASSETS/],
  [["etcd", "--help"], 0, /--listen-client-urls/],
])("kubestream %j prints its output and exits with %i", (words, code, text) => {
  const answer = call(...words);
  expect(answer).toMatchObject({ code, err: "" });
  expect(answer.out).toMatch(text);
});

it.each([
  [["nonsense"], 2, /unknown command "nonsense"/],
  [["demo", "--for", "soon"], 2, /--for "soon": must be a number greater than 0/],
  [["demo", "--frob"], 2, /--frob/],
  [["apiserver", "--prot", "1"], 2, /unknown option --prot; did you mean --port\?/],
  [["apiserver", "--bind-address", "192.0.2.1"], 2, /--bind-address 192.0.2.1: not an address of this machine/],
  [["cluster", "--nodes", "-1"], 2, /--nodes/],
  [["cluster", "--stages", "missing.yaml"], 2, /--stages missing\.yaml: .*no such file/],
  [["cluster", "--nodes", "many"], 2, /--nodes many: must be an integer from 0 to 99999/],
  [["cluster", "--kubelet-webhook"], 2, /--kubelet-webhook: has an effect only on the API server of an existing/],
  [["apiserver", "--bind-address", ""], 2, /--bind-address is empty: expected an address, such as 0.0.0.0/],
  [["apiserver", "--load", join(app, "absent")], 2, /--load .*absent: ENOENT: no such file/],
  [["apiserver", "--client-ca-file", join(app, "absent")], 2, /--client-ca-file .*absent: ENOENT/],
  [["apiserver", "--kubeconfig", join(app, "absent/config")], 2, /--kubeconfig .*config: ENOENT: no such file/],
  [["envtest"], 2, /envtest needs a folder/],
  [["envtest", join(app, "package.json")], 1, /EEXIST: file already exists, mkdir/],
  [["flowcontrol", "plan", join(app, "absent")], 1, /ENOENT: no such file .*absent/],
  [["etcd", "--listen-client-urls", "https://127.0.0.1:1"], 2, /--listen-client-urls .*: must be a URL with http/],
  // A terminal would obey control characters.
  [["etcd", "--listen-client-urls", "\u001b[2J"], 2, /--listen-client-urls \ufffd\[2J: must be a URL with http/],
  [["demo", "--kubeconfig", join(app, "absent")], 1, /absent: no such file/],
  [["proxy", "--port", "x"], 2, /--port x: must be an integer/],
  [["proxy", "--kubeconfig", join(app, "absent")], 1, /absent: no such file/],
])("kubestream %j exits with %i and one line on stderr", (words, code, text) => {
  const answer = call(...words);
  expect(answer.code).toBe(code);
  expect(answer.err).toMatch(text);
  expect(answer.err.trim().split("\n")).toHaveLength(1);
});

it("kubestream demo prints plain lines without a TTY and a summary on SIGINT", async () => {
  const { KUBECONFIG: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, "demo", "--pods", "60"], {
    cwd: app,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, errors })));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    // Stop after it has listed all pods and reported changes.
    if (lines.filter((each) => / \d\d pods .* [1-9]\d* events\/s /.test(each)).length === 2) child.kill("SIGINT");
  }
  expect(await ended).toEqual({ code: 0, errors: "" });
  expect(lines.some((line) => /^starting pods  \[#+-*\] \d+ \/ 60$/.test(line))).toBe(true);
  expect(lines.some((line) => /^listing pods  \[#+\] (\d\d) \/ \1$/.test(line))).toBe(true);
  expect(lines.at(-1)).toMatch(
    /^\d+[.]\d s: \d\d pods of 10 workloads, [\d,]+ events \(\d+\/s\), \d+ resyncs?, \d+ reconnects?, resourceVersion \d+, heap \d+ MB$/,
  );
  expect(lines.join()).not.toMatch(/[\u001b\r]/);
});

it("kubestream demo --for ends after the given time", () => {
  const { code, out, err } = call("demo", "--for", "0.3", "--pods", "5");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.trim().split("\n").at(-1)).toMatch(/^\d+[.]\d s: \d+ pods of 10 workloads, /);
});

it("kubestream apiserver loads objects with --load and writes them with --dump", async () => {
  const home = mkdtempSync(join(tmpdir(), "kubestream-program-"));
  const [file, into] = [join(home, "maps.yaml"), join(home, "left")];
  writeFileSync(
    file,
    "{apiVersion: v1, kind: Namespace, metadata: {name: web}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: web}, data: {colour: blue}}\n",
  );
  const serve = async (load: string): Promise<string> => {
    const child = spawn(process.execPath, [program, "apiserver", "--anonymous-auth", "--load", load, "--dump", into], {
      cwd: app,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
    const answer = await fetch(
      `${(JSON.parse(line) as { url: string }).url}/api/v1/namespaces/web/configmaps/settings`,
    );
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    return JSON.stringify(((await answer.json()) as { data: object }).data);
  };
  expect(await serve(file)).toBe('{"colour":"blue"}');
  expect(readFileSync(join(into, "ConfigMap/web/settings.json"), "utf8")).toContain('"colour": "blue"');
  expect(await serve(into)).toBe('{"colour":"blue"}');
  rmSync(home, { recursive: true });
});

it("kubestream apiserver exits with an error if it can't write the folder of --dump", async () => {
  const child = spawn(process.execPath, [program, "apiserver", "--dump", join(app, "package.json/left")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.once("data", () => child.kill("SIGTERM"));
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(1);
  expect(errors).toMatch(/^kubestream: ENOTDIR: not a directory.*\n$/);
});

it("kubestream proxy serves a context of the kubeconfig for reading, and exits on SIGTERM", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-proxy-"));
  const kubeconfig = join(folder, "config");
  const server = spawn(process.execPath, [program, "apiserver", "--kubeconfig", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const firstLine = async (child: { readonly stdout: NodeJS.ReadableStream }): Promise<string> => {
    for await (const line of createInterface({ input: child.stdout })) return line;
    return "";
  };
  await firstLine(server);
  const proxy = spawn(process.execPath, [program, "proxy", "--port", "0", "--kubeconfig", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { url, clusters } = JSON.parse(await firstLine(proxy)) as { url: string; clusters: string[] };
  expect(clusters).toHaveLength(1);
  const target = `${url}/clusters/${clusters[0]!}/api/v1/namespaces`;
  expect(await (await fetch(target)).json()).toMatchObject({ kind: "NamespaceList" });
  expect((await fetch(target, { method: "POST", body: "{}" })).status).toBe(403);
  const ended = Promise.all([proxy, server].map((child) => new Promise((resolve) => child.once("close", resolve))));
  proxy.kill("SIGTERM");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, 0]);
});

it("kubestream apiserver names the port that is already in use on one line", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  expect(call("apiserver", "--port", String(port))).toEqual({
    code: 2,
    out: "",
    err: `kubestream: --port ${port}: the port is already in use\n`,
  });
  taken.close();
});

/** Starts the program like npm does: in a shell whose parent is npm. Kills that parent once the server listens. */
async function orphan(signal: "SIGTERM" | "SIGKILL" | "SIGHUP"): Promise<string> {
  const inShell = `require("node:child_process").spawn("sh", ["-c", '"$0" "$1" apiserver --anonymous-auth; true', ...process.argv.slice(1)], { stdio: "inherit" })`;
  const npm = spawn(process.execPath, ["-e", inShell, process.execPath, program], {
    cwd: app,
    env: { ...process.env, npm_command: "exec" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: npm.stdout }).once("line", resolve));
  npm.kill(signal);
  return (JSON.parse(line) as { url: string }).url;
}

it.runIf(process.platform === "linux").each(["SIGTERM", "SIGKILL", "SIGHUP"] as const)(
  "kubestream apiserver ends when the npx that started it was ended by %s",
  async (signal) => {
    const url = await orphan(signal);
    const answers = (): Promise<boolean> =>
      fetch(`${url}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(answers, { timeout: 60_000 }).toBe(false);
  },
);

it.each([
  ["", "https:", true],
  ["--tls", "https:", true],
  ["--anonymous-auth", "http:", false],
  ["--tls --anonymous-auth", "https:", true],
])(
  "kubestream apiserver %s writes a kubeconfig for %s that other clients accept, and publishes its CA",
  async (options, protocol, trusted) => {
    const words = options.split(" ").filter((word) => word !== "");
    const child = spawn(process.execPath, [program, "apiserver", ...words], {
      cwd: app,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
    const { url, kubeconfig } = JSON.parse(line) as { url: string; kubeconfig: string };
    const text = readFileSync(kubeconfig, "utf8");
    expect(/server: (\S+?)\/\//.exec(text)![1]).toBe(protocol);
    expect(url.startsWith(options.includes("--tls") ? "https:" : "http:")).toBe(true);
    // client-node 2 refuses plain HTTP unless the kubeconfig says that the connection is insecure.
    expect([text.includes("certificate-authority-data: "), text.includes("insecure-skip-tls-verify: true")]).toEqual([
      trusted,
      !trusted,
    ]);
    const authority = /certificate-authority-data: (\S+)/.exec(text)?.[1];
    const published = async (): Promise<string> => {
      const path = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
      const headers = { authorization: `Bearer ${/token: (\S+)/.exec(text)![1]!}` };
      const response = await fetch(url.replace("https:", "http:") + path, { headers });
      return ((await response.json()) as { data?: Record<string, string> }).data?.["ca.crt"] ?? "";
    };
    await expect.poll(published).toMatch(/^-----BEGIN CERTIFICATE-----/);
    if (authority !== undefined)
      expect(Buffer.from(authority, "base64").toString().trim()).toBe((await published()).trim());
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("kubestream apiserver exits cleanly on %s", async (signal) => {
  const home = mkdtempSync(join(tmpdir(), "kubestream-program-"));
  const child = spawn(
    process.execPath,
    [program, "apiserver", "--port", "0", "--kubeconfig", join(home, "kubeconfig")],
    { cwd: app, stdio: ["ignore", "pipe", "pipe"] },
  );
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  const ended = new Promise((resolve) => child.once("exit", (code, killedBy) => resolve({ code, killedBy, errors })));
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const { url, kubeconfig } = JSON.parse(line) as { url: string; kubeconfig: string };
  expect(kubeconfig).toBe(join(home, "kubeconfig"));
  const text = readFileSync(kubeconfig, "utf8");
  expect(text).toContain(url.replace("http:", "https:"));
  expect((await fetch(`${url}/version`)).status).toBe(401);
  const authorization = `Bearer ${/token: (\S+)/.exec(text)![1]!}`;
  expect((await fetch(`${url}/version`, { headers: { authorization } })).status).toBe(200);
  child.kill(signal);
  expect(await ended).toEqual({ code: 0, killedBy: null, errors: "" });
  rmSync(home, { recursive: true });
});

it("kubestream envtest writes programs that start and end as envtest expects", async () => {
  const assets = join(app, "envtest");
  const { out, code } = call("envtest", assets);
  expect({ code, out: out.trim() }).toEqual({ code: 0, out: assets });
  const help = spawnSync(join(assets, "kube-apiserver"), ["--help"], { encoding: "utf8" });
  expect(help.status).toBe(0);
  expect(help.stdout).not.toMatch(/^\s*--insecure-port\b/m);
  const port = await freePort();
  const child = spawn(join(assets, "etcd"), [`--listen-client-urls=http://127.0.0.1:${port}`, "--data-dir=x"], {
    stdio: "inherit",
  });
  const ended = once(child, "close");
  await expect
    .poll(() => fetch(`http://127.0.0.1:${port}/health`).then((answer) => answer.json()), { timeout: 20_000 })
    .toMatchObject({ health: "true" });
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
