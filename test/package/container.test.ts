import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, inject, it } from "vitest";
import { parse } from "yaml";

const { app, folder } = inject("packed");
const source = join(folder, "examples/container");

/** Instructions of the container file in order, with continued lines joined and comments removed. */
const instructions = readFileSync(join(source, "Containerfile"), "utf8")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => ({ word: line.slice(0, line.indexOf(" ")), rest: line.slice(line.indexOf(" ") + 1) }));

function instruction(word: string): string {
  const found = instructions.filter((each) => each.word === word);
  expect(found).toHaveLength(1);
  return found[0]!.rest;
}

const [entrypoint = ""] = JSON.parse(instruction("ENTRYPOINT")) as string[];
const defaults = Object.fromEntries(
  instruction("ENV")
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);

/** A folder with the programs that the image would have in its PATH. */
function install(): string {
  const home = mkdtempSync(join(app, "container-"));
  mkdirSync(join(home, "bin"));
  const kubestream = join(home, "bin/kubestream");
  writeFileSync(kubestream, `#!/bin/sh\nexec '${process.execPath}' '${join(folder, "dist/cli/main.js")}' "$@"\n`);
  chmodSync(kubestream, 0o755);
  symlinkSync(process.execPath, join(home, "bin/node"));
  const [file = "", target] = instruction("COPY").split(" ").slice(1);
  expect({ file, target }).toEqual({ file: entrypoint, target: "/usr/local/bin/" });
  writeFileSync(join(home, "bin", file), readFileSync(join(source, file)), { mode: 0o755 });
  return home;
}

const home = install();

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

function environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { HOME: home, PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`, ...defaults, ...variables };
}

function isHealthy(variables: Readonly<Record<string, string>>): boolean {
  const [, command = ""] = / CMD (.*)$/.exec(instruction("HEALTHCHECK")) ?? [];
  return spawnSync("sh", ["-c", command], { env: environment(variables), timeout: 60_000 }).status === 0;
}

let child: ChildProcess | undefined;
afterEach(async () => {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child!.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
});

/** Starts the container's program, and returns the line it prints when it is ready. */
async function start(variables: Readonly<Record<string, string>>, ...words: string[]): Promise<string> {
  const started = spawn(join(home, "bin", entrypoint), words, {
    cwd: home,
    env: environment(variables),
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = started;
  return new Promise((resolve, reject) => {
    started.once("exit", (code) => reject(new Error(`exited with ${String(code)}`)));
    createInterface({ input: started.stdout }).once("line", resolve);
  });
}

/** Status of a request to the port with a Host header; with a certificate authority, over TLS for that host. */
function status(port: string, headers: IncomingHttpHeaders & { host: string }, ca?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/api/v1/namespaces/web", headers, agent: false };
    const sent = ca === undefined ? httpRequest(options) : httpsRequest({ ...options, ca, servername: headers.host });
    sent.once("error", reject);
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.end();
  });
}

it("container file installs the package, exposes its port and runs without root", () => {
  expect(instruction("FROM")).toMatch(/^node:\d+-alpine$/);
  expect(instruction("RUN")).toContain("npm install --global kubestream@$VERSION");
  expect(instruction("EXPOSE")).toBe(defaults["PORT"]);
  expect(instruction("USER")).toBe("node");
});

it("container serves its host names with a token, becomes healthy and stops on SIGTERM", async () => {
  const PORT = await freePort();
  const variables = { PORT, TOKEN: "test-token", LOAD: join(home, "web.yaml") };
  writeFileSync(variables.LOAD, "{apiVersion: v1, kind: Namespace, metadata: {name: web}}");
  expect(isHealthy(variables)).toBe(false);
  const kubeconfig = join(home, "kubeconfig");
  const line = await start(variables, "--kubeconfig", kubeconfig, "--authorization-mode", "RBAC");
  expect(JSON.parse(line)).toEqual({ url: `http://apiserver:${PORT}`, kubeconfig });
  expect(isHealthy(variables)).toBe(true);

  const authorization = "Bearer test-token";
  expect(await status(PORT, { host: "apiserver" })).toBe(401);
  for (const host of ["apiserver", `apiserver:${PORT}`, "localhost", "10.1.2.3"])
    expect({ host, status: await status(PORT, { host, authorization }) }).toEqual({ host, status: 200 });
  expect(await status(PORT, { host: "evil.test", authorization })).toBe(403);

  const { clusters } = parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  };
  expect(clusters[0]!.cluster.server).toBe(`https://apiserver:${PORT}`);
  const ca = Buffer.from(clusters[0]!.cluster["certificate-authority-data"], "base64").toString();
  expect(await status(PORT, { host: "apiserver", authorization }, ca)).toBe(200);

  const ended = new Promise((resolve) => child!.once("exit", (code, signal) => resolve({ code, signal })));
  child!.kill("SIGTERM");
  expect(await ended).toEqual({ code: 0, signal: null });
});

it("container without a token serves anonymous requests if ANONYMOUS is true", async () => {
  const PORT = await freePort();
  await start({ PORT, ANONYMOUS: "true", HOST_NAMES: "one two" });
  expect(await status(PORT, { host: "two" })).toBe(404);
  expect(await status(PORT, { host: "apiserver" })).toBe(403);
});

it.each([
  [{}, "set TOKEN to the administrator's token, or ANONYMOUS=true\n"],
  [{ TOKEN: 'a,b"' }, "TOKEN: use letters, digits and ._~+/=- only\n"],
])("container refuses to start with the variables %j", (variables, message) => {
  const { status: code, stderr } = spawnSync(join(home, "bin", entrypoint), {
    env: environment(variables),
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ code, stderr }).toEqual({ code: 2, stderr: message });
});

interface Service {
  readonly image?: string;
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Services of the image in a recipe, however the CI system nests them. */
function servicesIn(value: unknown): Service[] {
  if (typeof value !== "object" || value === null) return [];
  const service = value as Service;
  if (/kubestream-apiserver/.test(service.image ?? service.name ?? "")) return [service];
  return Object.values(value).flatMap(servicesIn);
}

it("recipes for CI services set only variables that the container reads", () => {
  const guide = readFileSync(join(folder, "docs/guides/testing/ci.md"), "utf8");
  const blocks = [...guide.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => parse(text) as unknown);
  const services = blocks.flatMap(servicesIn);
  expect(services).toHaveLength(3);
  const script = readFileSync(join(source, entrypoint), "utf8");
  for (const { env, environment: compose, variables } of services) {
    const names = Object.keys(env ?? compose ?? variables ?? {});
    expect(names).toContain("TOKEN");
    for (const name of names) expect(script).toContain(`\${${name}-}`);
  }
});
