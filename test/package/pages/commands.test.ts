// Commands in the pages. Each line of a shell block is run by this file or by the check that is named for it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, inject, it } from "vitest";
import { root } from "../pack.js";
import { blocksOf, shellPages, templatePages } from "./tutorial.js";

const { app, folder } = inject("packed");
const pages = ["README.md", "CONTRIBUTING.md"].concat(
  ["docs", "examples"].flatMap((top) =>
    (readdirSync(join(root, top), { recursive: true }) as string[])
      .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
      .map((name) => join(top, name)),
  ),
);

/** Pages whose first blocks tests of this file run, with the number of these blocks. */
const here = new Map<string, number>();

/** Defines a test that gets the first blocks of a page. */
function testPage(page: string, count: number, title: string, test: (blocks: string[][]) => void): void {
  here.set(page, count);
  it(title, () => test(blocksOf(page).slice(0, count)));
}

/** Other commands, the check that runs them, and the words in the check's file that do it. */
const elsewhere: readonly (readonly [RegExp, string, string])[] = [
  [/^npm install kubestream/, "test/package/bundlers.ts", "packed.tarball"],
  [/^npm create kubestream /, "test/package/create.long.test.ts", "create(name, "],
  [/^cd my-operator$/, "test/package/create.long.test.ts", "`cd ${name}\\n  npm install\\n  npm test\\n`"],
  [/^npm install$/, "test/package/create.long.test.ts", "install(project"],
  [/^npm ci$/, ".ci/run", "npm ci"],
  [/^npm test$/, ".ci/run", "npm test"],
  [/^npm run demo:web$/, "test/browser/dashboard.ts", "examples/dashboard/serve"],
  [/^npx kubestream demo$/, ".ci/run", "npm run --silent demo"],
  [/^bun /, "test/package/runtimes.ts", '["run", "main.ts"], listWatch'],
  [/^deno /, "test/package/runtimes.ts", '"--allow-read", "--allow-env", "main.ts"], listWatch'],
  [/^npx esbuild /, "test/package/bundlers.ts", 'blocksOf("docs/guides/runtimes.md")'],
  [
    /^NODE_OPTIONS=--experimental-vm-modules npx jest$/,
    "test/package/runtimes.ts",
    '"docs/guides/runtimes.md", "Jest"',
  ],
  [
    /^npx kubestream apiserver --port 8080 --kubeconfig \.\/kubeconfig &$/,
    "test/package/pages/commands.test.ts",
    'readdirSync(join(project, ".build/state")',
  ],
  [/^docker build --tag registry.test\/kubestream-apiserver:/, "test/package/container.test.ts", "Containerfile"],
  [
    /^(?:KUBECONFIG=\.\/kubeconfig )?npx tsx \S+\.ts$/,
    "test/package/examples/examples.long.test.ts",
    'join(root, "examples", name)',
  ],
  // Needs the real kube-apiserver, whose answers the tests of test/differential replay.
  [/^PROBE_KUBECONFIG=\S+ npx tsx test\/differential\//, "CONTRIBUTING.md", "PROBE_KUBECONFIG"],
];

it("every command in a page is run by a test, or by a check with a name", () => {
  // The other checks take their pages from the same lists.
  const whole = [...shellPages, ...Object.values(templatePages)];
  expect([...whole, ...here.keys()].filter((page) => !pages.includes(page))).toEqual([]);
  const lines = pages
    .filter((page) => !whole.includes(page))
    .flatMap((page) =>
      blocksOf(page)
        .slice(here.get(page) ?? 0)
        .flatMap((block) => block.map((line) => ({ page, line }))),
    );
  expect(lines.filter(({ line }) => !elsewhere.some(([pattern]) => pattern.test(line)))).toEqual([]);
  // No entry is left over.
  expect(elsewhere.filter(([pattern]) => !lines.some(({ line }) => pattern.test(line)))).toEqual([]);
  expect(elsewhere.filter(([, file, words]) => !readFileSync(join(root, file), "utf8").includes(words))).toEqual([]);
});

/** Runs a script in a folder like a reader's, in which `kubestream` is the program of the packed package, also with `npx`. */
function shell(project: string, script: string): { status: number | null; out: string } {
  const bin = join(project, "bin");
  const installed = join(project, "node_modules/.bin");
  for (const each of [bin, installed]) mkdirSync(each, { recursive: true });
  const program = `exec '${process.execPath}' '${join(folder, "dist/cli/main.js")}' "$@"`;
  writeFileSync(join(installed, "kubestream"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n[ "$1" = kubestream ] || exit 127\nshift\n${program}\n`, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: project,
    env: { HOME: project, PATH: [bin, process.env["PATH"]].join(delimiter), NO_COLOR: "1" },
    encoding: "utf8",
    timeout: 120_000,
  });
  return { status, out: stdout + stderr };
}

/** Replaces the port of a block by one that no other test uses. */
const withPort = (script: string, port: number): string => script.replaceAll("8080", String(port));

testPage(
  "docs/guides/testing/ci.md",
  2,
  "guide to CI: the embedded server runs the tests and writes its state",
  (blocks) => {
    const project = mkdtempSync(join(app, "ci-"));
    mkdirSync(join(project, "test/manifests"), { recursive: true });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "loaded", namespace: "default" } };
    writeFileSync(join(project, "test/manifests/map.json"), JSON.stringify(map));
    const scripts = { "test:integration": 'grep -q token "$KUBECONFIG"' };
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "p", scripts }));
    const [background = [], envtest = []] = blocks;
    const { status, out } = shell(project, withPort(background.join("\n"), 18_437));
    expect({ status, out: status === 0 ? "" : out }).toEqual({ status: 0, out: "" });
    const dumped = readdirSync(join(project, ".build/state"), { recursive: true }) as string[];
    expect(dumped.some((name) => /loaded/.test(name))).toBe(true);

    expect(envtest[1]).toBe("go test ./...");
    const assets = shell(project, `${envtest[0]}\nls "$KUBEBUILDER_ASSETS"`);
    expect(assets).toEqual({ status: 0, out: "etcd\nkube-apiserver\n" });
  },
);

testPage("docs/guides/custom-kinds.md", 1, "guide to custom kinds: files and a cluster give equal types", (blocks) => {
  const project = mkdtempSync(join(app, "types-"));
  mkdirSync(join(project, "crds"));
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "backups.storage.example.com" },
    spec: {
      group: "storage.example.com",
      names: { kind: "Backup", plural: "backups" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  writeFileSync(join(project, "crds/backup.json"), JSON.stringify(crd));
  const [[files = "", cluster = ""] = []] = blocks;
  const script = `set -e
${files}
mv src from-files
npx kubestream apiserver --load crds --kubeconfig ./kubeconfig > ready &
trap "kill $!" EXIT
until [ -s ready ]; do sleep 0.2; done
sed -i 's/kubestream/staging/' kubeconfig
export KUBECONFIG=./kubeconfig
${cluster}
diff -r src from-files`;
  expect(shell(project, script).status).toBe(0);
  expect(readFileSync(join(project, "src/kinds/storage.example.com/v1.ts"), "utf8")).toContain("Backup");
});

testPage(
  "docs/guides/dashboards.md",
  1,
  "guide to dashboards: the proxy serves the current context to a page",
  (blocks) => {
    const project = mkdtempSync(join(app, "proxy-"));
    const [[command = ""] = []] = blocks;
    const script = `set -e
npx kubestream apiserver --kubeconfig ./kubeconfig > ready &
trap "kill $!" EXIT
until [ -s ready ]; do sleep 0.2; done
export KUBECONFIG=./kubeconfig
${command} --port 18438 > proxy &
trap "kill %1 %2" EXIT
until [ -s proxy ]; do sleep 0.2; done
curl --silent --include --header "origin: http://localhost:5173" http://127.0.0.1:18438/clusters`;
    const { status, out } = shell(project, script);
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining("localhost:5173") as string });
  },
);
