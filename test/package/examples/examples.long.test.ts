import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { root } from "../pack.js";
import { playgroundExamples } from "../pages/playground.js";
import { expectedOutput as expected } from "./expected-output.js";
import { type PodServer, servePods } from "./pod-server.js";

const { app, folder } = inject("packed");
interface Server {
  readonly url: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

let server: Server;
let pods: PodServer;
/** Kubeconfig of the server that also serves the streams of pods. */
let podKubeconfig: string;
/** Arguments of the examples that have some. */
const argumentsOf: Readonly<Record<string, () => string[]>> = {
  "user-interfaces/dashboard.ts": () => ["0.7"],
  "pods/port-forward.ts": () => [new URL(pods.url).port],
};
const withPods = new Set([
  "pods/attach.ts",
  "pods/copy-files.ts",
  "pods/exec.ts",
  "pods/logs.ts",
  "pods/port-forward.ts",
  "pods/service-proxy.ts",
  "workloads/top.ts",
]);

beforeAll(async () => {
  const kubeconfig = join(mkdtempSync(join(app, "server-")), "kubeconfig");
  const child = spawn(
    process.execPath,
    [join(folder, "dist/cli/main.js"), "apiserver", "--anonymous-auth", "--port", "0", "--kubeconfig", kubeconfig],
    { cwd: app, stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const { url } = JSON.parse(line) as { url: string };
  server = {
    url,
    kubeconfig,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
  await post("/api/v1/namespaces", { metadata: { name: "web" } });
  for (let index = 0; index < 3; index++) {
    await post("/api/v1/namespaces/web/pods", {
      metadata: { name: `pod-${String(index)}`, labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "web:1" }] },
    });
  }
  const status = { allocatable: { cpu: "4", memory: "8Gi", pods: "110" } };
  await post("/api/v1/nodes", { metadata: { name: "node-1" }, status });
  const home = mkdtempSync(join(app, "pods-"));
  pods = await servePods(server.url, home);
  podKubeconfig = join(home, "kubeconfig");
  writeFileSync(podKubeconfig, readFileSync(server.kubeconfig, "utf8").replaceAll(server.url, pods.url));
});

afterAll(async () => {
  await pods.close();
  await server.stop();
});

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Runs a program against the packed package, like a user of the package. */
async function runProgram(source: string, kubeconfig: string, words: readonly string[] = []): Promise<string[]> {
  const file = join(mkdtempSync(join(app, "example-")), "main.mjs");
  writeFileSync(file, transformSync(source, { loader: "ts", format: "esm", target: "es2022" }).code);
  // Not spawnSync: the server of the pods runs in this process.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, ...words], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    timeout: 150_000,
  });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

it.each(Object.entries(expected))("example %s prints its expected output and exits", async (name, lines) => {
  const source = readFileSync(join(root, "examples", name), "utf8");
  const kubeconfig = withPods.has(name) ? podKubeconfig : server.kubeconfig;
  const printed = await runProgram(source, kubeconfig, argumentsOf[name]?.());
  if (name === "user-interfaces/dashboard.ts") printed.splice(1);
  const captured: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    expect(printed[index]).toEqual(typeof line === "string" ? line : expect.stringMatching(line));
    if (typeof line === "string") continue;
    for (const [group, text] of Object.entries(line.exec(printed[index]!)!.groups ?? {}))
      expect(text, `${group} in line ${index + 1}`).toBe((captured[group] ??= text));
  }
  expect(printed).toHaveLength(lines.length);
});

it.each(playgroundExamples())("playground example $file prints the output at its end", async ({ source, output }) => {
  expect(await runProgram(source, server.kubeconfig)).toEqual(output.split("\n"));
});
