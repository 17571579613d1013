// Follows the tutorials and the guide to the cluster as a reader does, in a shell: the embedded server and the program of the page run in terminals of
// their own, and kubectl works on them. The pages deploy to a cluster in this process.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/apiserver/node/listen.js";
import { createCluster } from "../../src/cluster/create-cluster.js";
import { type PackedPackage, pack } from "../package/pack.js";
import { install, shellPages, stepsOf } from "../package/pages/tutorial.js";
import { missing } from "./cluster.js";
import { findKubectl } from "./real-apiserver.js";

const kubectl = findKubectl();
const reason = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);
if (reason !== undefined) console.log(`tutorials: skipped: ${reason}`);

/** Commands that run until they are stopped. */
const SERVES = /^(npx kubestream (?:apiserver|cluster)\b|KUBECONFIG=\S+ node dist\/main\.js)/;
/** Commands that can't be run here: they need a registry, or a container engine. */
const SKIPPED = /^(npm install|docker) /;

/** Output that each page promises. */
const promised: Readonly<Record<string, readonly string[]>> = {
  "docs/guides/cluster.md": ["deployment.apps/web created", 'deployment "web" successfully rolled out'],
  "docs/tutorials/apply.md": ["ConfigMap/settings created (dry run)", "ConfigMap/settings created\n"],
  "docs/tutorials/dashboard.md": ["pod/web created"],
  "docs/tutorials/operator.md": [
    "website.example.com/docs created",
    "deployment.apps/docs",
    "service/docs",
    "pod/docs-",
    "website.example.com/docs condition met",
    "removes docs.example.com from DNS",
    'deployment "website-operator" successfully rolled out',
  ],
  "docs/tutorials/paging.md": ["0 pods"],
};

describe.skipIf(reason !== undefined)("a page with commands", () => {
  let packed: PackedPackage;
  const running = new Set<ChildProcess>();
  beforeAll(() => {
    packed = pack();
  }, 120_000);
  afterAll(() => {
    if (packed !== undefined) rmSync(dirname(packed.app), { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all([...running].map(stop));
  });

  function stop(child: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      child.once("close", () => resolve());
      if (!running.has(child)) resolve();
      // The whole group of the shell.
      else process.kill(-child.pid!, "SIGTERM");
    });
  }

  /** Runs commands in a shell of its own. Resolves at its end, or for a command that serves, with its first line. */
  function shell(project: string, commands: string, output: string[], serves: boolean): Promise<void> {
    const home = join(project, "home");
    const environment = {
      HOME: home,
      PATH: [dirname(kubectl!), process.env["PATH"]].join(delimiter),
      npm_config_offline: "true",
      CI: "true",
    };
    return new Promise((resolve, reject) => {
      // `export` lasts until the end of the page, as in one terminal.
      const script = `touch .exports; . ./.exports\n${commands}\nexport -p > .exports`;
      const child = spawn("bash", ["-e", "-c", script], { cwd: project, env: environment, detached: true });
      running.add(child);
      child.stderr.on("data", (chunk) => output.push(String(chunk)));
      child.stdout.on("data", (chunk) => {
        output.push(String(chunk));
        if (serves) resolve();
      });
      child.once("error", reject);
      child.once("close", (code) => {
        running.delete(child);
        if (code === 0) resolve();
        else reject(new Error(`exit code ${code}: ${commands}\n${output.join("")}`));
      });
    });
  }

  it.each(shellPages)("%s holds what it promises, command by command", async (page) => {
    await using cluster = await createCluster({ nodes: 2 });
    const listener = await listen(cluster.server);
    const project = mkdtempSync(join(tmpdir(), "kubestream-tutorial-"));
    const output: string[] = [];
    try {
      mkdirSync(join(project, "home/.kube"), { recursive: true });
      writeFileSync(join(project, "home/.kube/config"), kubeconfigOf(listener.url));
      // A guide is for a project that has the package.
      if (page.startsWith("docs/guides/")) install(project, packed.app, "npm install kubestream");
      for (const step of stepsOf(page)) {
        if ("block" in step) await runBlock(project, step.block, output);
        else {
          mkdirSync(dirname(join(project, step.file)), { recursive: true });
          writeFileSync(join(project, step.file), step.text);
        }
      }
      await expect
        .poll(() => output.join(""))
        .toSatisfy((text: string) => promised[page]!.every((each) => text.includes(each)));
    } finally {
      await Promise.all([...running].map(stop));
      await listener.close();
      rmSync(project, { recursive: true, force: true });
    }
  });

  async function runBlock(project: string, block: string, output: string[]): Promise<void> {
    const now: string[] = [];
    for (const line of block.trimEnd().split("\n")) {
      if (line.startsWith("npm install ")) install(project, packed.app, line);
      if (line.startsWith("mkdir ") && line.includes(" && cd ")) continue;
      if (SERVES.test(line)) {
        await shell(project, now.splice(0).join("\n"), output, false);
        await shell(project, line, output, true);
      } else if (!SKIPPED.test(line)) now.push(line);
    }
    if (now.length > 0) await shell(project, now.join("\n"), output, false);
  }
});

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    users: [{ name: "u", user: {} }],
    clusters: [{ name: "c", cluster: { server } }],
  });
}
