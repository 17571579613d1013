// Runs the packed package in Bun, Deno, workerd (the runtime of Cloudflare Workers) and Jest. They are installed from npm
// into a scratch folder. Arguments: names of runtimes (default: all). If one can't be installed, the last line says why and
// the exit code is 77.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { pack, root } from "./pack.js";
import { sectionOf } from "./pages/tutorial.js";

/** Folder of a project that has the package installed. */
interface Place {
  readonly app: string;
  /** Program of the runtime. */
  readonly program: string;
  /** Kubeconfig and URL of `kubestream apiserver`, which runs in Node. It has one pod, in the namespace `web`. */
  readonly kubeconfig: string;
  readonly url: string;
}

/** Runs a file to its end and compares its standard output. */
async function run(
  { app, program, kubeconfig }: Place,
  words: readonly string[],
  expected: readonly string[],
): Promise<void> {
  const { stdout } = await promisify(execFile)(program, words, {
    cwd: app,
    // Deno takes FORCE_COLOR=0 for a wish for colors.
    env: { ...process.env, KUBECONFIG: kubeconfig, NO_COLOR: "1", FORCE_COLOR: undefined },
    timeout: 120_000,
  });
  compare(words.at(-1)!, stdout, `${expected.join("\n")}\n`);
}

function compare(name: string, actual: string, expected: string): void {
  if (actual !== expected)
    throw new Error(`${name} printed ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
  console.log(`  ${name}: ok`);
}

/** Starts a program, and returns it with the first line that it prints. */
async function start(
  program: string,
  words: readonly string[],
  cwd: string,
): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(program, words, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} exited with ${String(code)}`)));
    createInterface({ input: child.stdout }).once("line", resolve);
  });
  return { child, line };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

const listWatch = ["pod-0", "added web/pod-0 Pending", "1 pods, Pending"];
const smoke = ["in the process: ok", "over a socket: ok"];
const token = "runtimes-token";

/** Bundles the Worker and requests it once, with the given bindings. */
async function requestWorker({ app, program }: Place, bindings: Readonly<Record<string, string>>): Promise<string> {
  buildSync({
    entryPoints: [join(app, "worker.ts")],
    outfile: join(app, "worker.js"),
    absWorkingDir: app,
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
  });
  const texts = Object.entries(bindings).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`);
  writeFileSync(
    join(app, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      bindings = [${texts.join(", ")}],
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  const { child, line } = await start(program, ["serve", "worker.capnp", "--control-fd=1"], app);
  try {
    const { port } = JSON.parse(line) as { port: number };
    const response = await fetch(`http://127.0.0.1:${String(port)}/`, { signal: AbortSignal.timeout(60_000) });
    return `${String(response.status)} ${await response.text()}`;
  } finally {
    await stop(child);
  }
}

/** Runs the guide's test with the guide's command, and once without the option that the guide requires. */
async function runJest({ app, program }: Place): Promise<void> {
  const section = sectionOf("docs/guides/runtimes.md", "Jest");
  const [test = "", command = ""] = ["js", "sh"].map((name) => section.split(`\`\`\`${name}\n`)[1]?.split("```")[0]);
  const bin = join(app, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  // npx looks there.
  symlinkSync(program, join(bin, "jest"));
  writeFileSync(join(app, "shop.test.js"), test);
  const check = async (script: string, expected: readonly string[]): Promise<void> => {
    const environment = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, npm_config_offline: "true" };
    // Jest prints results to stderr. Its exit code is 1 if a test fails, which is an error here.
    const { stderr } = await promisify(execFile)("bash", ["-c", script], {
      cwd: app,
      env: environment,
      timeout: 120_000,
    }).catch((error: Error & { stderr: string }) => error);
    const missing = expected.filter((words) => !stderr.includes(words));
    if (missing.length > 0) throw new Error(`${script} didn't print ${missing.join(", ")}:\n${stderr}`);
    console.log(`  ${script.trim()}: ok`);
  };
  await check(command, ["PASS ./shop.test.js", "1 passed, 1 total"]);
  await check("npx jest", ["FAIL ./shop.test.js", "Must use import to load ES Module"]);
}

const runtimes: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  async bun(place) {
    await run(place, ["run", "bun.ts"], ["settings {", '  runtime: "Bun",', "}"]);
    await run(place, ["run", "main.ts"], listWatch);
    await run(place, ["run", "smoke.mjs"], smoke);
  },
  async deno(place) {
    const words = ["run", "--node-modules-dir=manual", "--allow-net"];
    await run(place, [...words, "deno.ts"], ['settings { runtime: "Deno" }']);
    await run(place, [...words, "--allow-read", "--allow-env", "main.ts"], listWatch);
    await run(place, [...words, "--allow-read", "--allow-env", "smoke.mjs"], smoke);
  },
  async workerd(place) {
    compare("worker.ts", await requestWorker(place, {}), '200 [{"name":"demo","data":{"from":"Worker"}}]');
    const server = { SERVER: place.url, TOKEN: token };
    compare(
      "worker.ts with a server",
      await requestWorker(place, server),
      '200 [{"name":"real","data":{"from":"Node"}}]',
    );
  },
  jest: runJest,
};

const objects = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod-0", namespace: "web", labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "web:1" }] },
  },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "real", namespace: "default" }, data: { from: "Node" } },
];

/** Installs a runtime, and returns its program. Throws if the registry or the platform doesn't have it. */
function install(name: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", name], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000,
  });
  const program = join(folder, "node_modules/.bin", name);
  const version = execFileSync(program, ["--version"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  console.log(`${name}: ${version.split("\n")[0] ?? ""}`);
  return program;
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(runtimes);
for (const name of chosen) if (runtimes[name] === undefined) throw new RangeError(`unknown runtime ${name}`);
const missing: string[] = [];
const tools = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-runtimes-")));
const { app } = pack();
writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
for (const name of ["bun.ts", "deno.ts", "worker.ts"])
  copyFileSync(join(root, "examples/runtimes", name), join(app, name));
copyFileSync(join(root, "examples/informers/list-watch.ts"), join(app, "main.ts"));
copyFileSync(join(root, "test/package/runtime-smoke.mjs"), join(app, "smoke.mjs"));
writeFileSync(join(app, "objects.yaml"), objects.map((object) => JSON.stringify(object)).join("\n---\n"));
writeFileSync(join(app, "tokens.csv"), `${token},admin,admin,system:masters\n`);
const words = ["apiserver", "--kubeconfig", "kubeconfig", "--load", "objects.yaml", "--token-auth-file", "tokens.csv"];
// The Worker lists the ConfigMaps of a namespace, and expects no others.
words.push("--controllers", "*,-root-ca-certificate-publisher-controller");
const server = await start(process.execPath, ["node_modules/kubestream/dist/cli/main.js", ...words], app);
try {
  const { url } = JSON.parse(server.line) as { url: string };
  for (const name of chosen) {
    let program: string;
    try {
      program = install(name, join(tools, name));
    } catch (error) {
      const { stderr = "", message } = error as Error & { stderr?: string };
      missing.push(`${name} can't be installed: ${stderr.trim().split("\n")[0] || message}`);
      continue;
    }
    try {
      await runtimes[name]!({ app, program, url, kubeconfig: join(app, "kubeconfig") });
    } catch (error) {
      console.error(`${name}:`, error);
      process.exitCode = 1;
    }
  }
} finally {
  await stop(server.child);
  rmSync(tools, { recursive: true, force: true });
  rmSync(dirname(app), { recursive: true, force: true });
}
if (missing.length > 0) {
  process.exitCode ??= 77;
  console.log(`skipped: ${missing.join("; ")}`);
}
