import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { examplesOutput as expected } from "./examples-output.js";
import { root } from "./pack.js";
import { playgroundExamples } from "./playground.js";

const { app, folder } = inject("packed");
const examples = (readdirSync(join(root, "examples"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.replaceAll("\\", "/"))
  // The tutorials have tests of their own. `check:runtimes` runs those of the runtimes.
  .filter((name) => !/^(?:tutorials|runtimes)[/]/.test(name));

interface Server {
  readonly url: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

let server: Server;

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
});

afterAll(() => server.stop());

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Runs a program against the packed package, like a user of the package. */
function runProgram(source: string, ...words: string[]): string[] {
  const file = join(mkdtempSync(join(app, "example-")), "main.mjs");
  writeFileSync(file, transformSync(source, { loader: "ts", format: "esm", target: "es2022" }).code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], {
    env: { ...process.env, KUBECONFIG: server.kubeconfig },
    encoding: "utf8",
    timeout: 150_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trim().split("\n");
}

it("every example except the controller has fewer than 60 lines", () => {
  const long = examples.filter((name) => readFileSync(join(root, "examples", name), "utf8").split("\n").length > 60);
  expect(long).toEqual(["controller/main.ts"]);
});

it("the index names every example", () => {
  const index = readFileSync(join(root, "examples/README.md"), "utf8");
  expect(examples.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

it("every example has an expected output", () => {
  expect(Object.keys(expected).sort()).toEqual(examples.sort());
});

it.each(Object.entries(expected))("example %s prints its expected output and exits", (name, lines) => {
  const source = readFileSync(join(root, "examples", name), "utf8");
  const printed = runProgram(source, ...(name === "dashboard.ts" ? ["0.7"] : []));
  if (name === "dashboard.ts") printed.splice(1);
  for (const [index, line] of lines.entries())
    expect(printed[index]).toEqual(typeof line === "string" ? line : expect.stringMatching(line));
  expect(printed).toHaveLength(lines.length);
});

it.each(playgroundExamples())("playground example $file prints the output at its end", ({ source, output }) => {
  expect(runProgram(source)).toEqual(output.split("\n"));
});
