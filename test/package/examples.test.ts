import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { root } from "./pack.js";

const { app, folder } = inject("packed");
const examples = (readdirSync(join(root, "examples"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.replaceAll("\\", "/"))
  // The programs of the tutorials have tests of their own.
  .filter((name) => !name.startsWith("tutorials/"));

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

/** Runs an example against the packed package, like a user of the package. */
function runExample(name: string, ...words: string[]): string[] {
  const file = join(mkdtempSync(join(app, "example-")), "main.mjs");
  writeFileSync(
    file,
    transformSync(readFileSync(join(root, "examples", name), "utf8"), { loader: "ts", format: "esm", target: "es2022" })
      .code,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], {
    env: { ...process.env, KUBECONFIG: server.kubeconfig },
    encoding: "utf8",
    timeout: 150_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trim().split("\n");
}

/** Expected output of each example, line by line: a string or a pattern. */
const expected: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  "list-watch/main.ts": [
    "pod-0",
    "pod-1",
    "pod-2",
    "added web/pod-0 Pending",
    "added web/pod-1 Pending",
    "added web/pod-2 Pending",
    "3 pods, Pending",
  ],
  "apply.ts": [
    /^conflict: [.]data[.]colour .*"designer"/,
    "{ colour: 'red', size: 'small' }",
    "designer f:size",
    "painter f:colour",
  ],
  "controller/main.ts": ["3 replicas of <h1>Hello again</h1>", "0 errors, 0 events failed, no longer leading"],
  "custom-kind.ts": ["nightly 0 3 * * * 2"],
  "dashboard.ts": [/^3 { Pending: 3 }$/],
  "embedded-server.ts": ["added default/settings blue", "updated default/settings red", "deleted default/settings red"],
  "errors.ts": [
    "get → not found: errors-example",
    "create → ok",
    "create again → already exists",
    "create with a bad name → invalid: metadata.name",
    "update of an old version → conflict: the object was changed in the meantime",
    /^get of a path → invalid argument, not sent: /,
    /^unknown context → invalid configuration: .*no-such-context/,
  ],
  "informer-metrics.ts": [
    'kubestream_informer_size{collection="pods in \\"web\\""} 3',
    /_lag{.*} 0$/,
    /_lists{.*} 1$/,
    /_watches{/,
    /_streams{.*} 1$/,
    /_stalls{.*} 0$/,
    /_shortWatches{.*} 0$/,
    /_events{.*,type="ADDED"} 3$/,
    /type="MODIFIED"/,
    /type="DELETED"/,
    /type="BOOKMARK"} \d+$/,
    /_age_ms{/,
    /_synced{.*} 1$/,
  ],
  "metadata-only.ts": ["web 3"],
  "trace-and-measure.ts": [
    "span GET /api/v1/namespaces/web/pods http.response.status_code 200",
    'duration {"verb":"list","group":"","resource":"pods","http.response.status_code":200}',
    "2 pods",
  ],
};

it("every example has an expected output", () => {
  expect(Object.keys(expected).sort()).toEqual(examples.sort());
});

it.each(Object.entries(expected))("example %s prints its expected output and exits", (name, lines) => {
  const printed = runExample(name, ...(name === "dashboard.ts" ? ["0.7"] : []));
  if (name === "dashboard.ts") printed.splice(1);
  for (const [index, line] of lines.entries())
    expect(printed[index]).toEqual(typeof line === "string" ? line : expect.stringMatching(line));
  expect(printed).toHaveLength(lines.length);
});
