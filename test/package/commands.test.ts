// Commands in the pages. Each line of a shell block is run by this file or by the check that is named for it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, inject, it } from "vitest";
import { root } from "./pack.js";

const { app, folder } = inject("packed");
const pages = ["README.md", "CONTRIBUTING.md"].concat(
  ["docs", "examples"].flatMap((top) =>
    (readdirSync(join(root, top), { recursive: true }) as string[])
      .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
      .map((name) => join(top, name)),
  ),
);

/** Returns the commands of a page, block by block; continued lines are joined. */
function blocksOf(page: string): string[][] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .replaceAll(/\s+#.*$/gm, "")
      .split("\n")
      .filter((line) => line.trim() !== ""),
  );
}

/** Pages whose blocks are run as a whole, here or by the named check. */
const wholePages: readonly (readonly [RegExp, string])[] = [
  [/^docs\/tutorials\//, "tutorials.test.ts, and e2e/tutorials.test.ts in a shell with kubectl"],
  [/^docs\/guides\/cluster\.md$/, "e2e/tutorials.test.ts"],
  [/^docs\/guides\/(?:dashboards|testing-ci|custom-kinds)\.md$/, "here"],
  [/^examples\/create-kubestream\//, "create.test.ts"],
];

/** Other commands, and the check that runs them. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^npm install kubestream/, "packed.test.ts installs the tarball"],
  [/^npm create kubestream /, "create.test.ts"],
  [/^npm (?:ci|test)$/, ".ci/run"],
  [/^npm run demo:web$/, "check:dashboard"],
  [/^npx kubestream demo$/, "the stage demo"],
  [/^(?:bun|deno) /, "check:runtimes"],
  [/^npx esbuild /, "check:bundlers"],
  [/^npx kubestream apiserver --port 8080 --kubeconfig \.\/kubeconfig &$/, "here, for testing-ci.md"],
  [/^(?:KUBECONFIG=\.\/kubeconfig )?npx tsx \S+\.ts$/, "examples.test.ts"],
  [
    /^PROBE_KUBECONFIG=\S+ npx tsx test\/differential\//,
    "needs the real kube-apiserver; its tests are in test/differential",
  ],
  [/^NODE_OPTIONS=--experimental-vm-modules npx jest$/, "needs Jest, which the project doesn't install"],
];

it("every command in a page is run by a test, or by a check with a name", () => {
  const lines = pages
    .filter((page) => !wholePages.some(([pattern]) => pattern.test(page)))
    .flatMap((page) => blocksOf(page).flatMap((block) => block.map((line) => ({ page, line }))));
  expect(lines.filter(({ line }) => !elsewhere.some(([pattern]) => pattern.test(line)))).toEqual([]);
  // No entry is left over.
  expect(elsewhere.filter(([pattern]) => !lines.some(({ line }) => pattern.test(line)))).toEqual([]);
  expect(wholePages.filter(([pattern]) => !pages.some((page) => pattern.test(page)))).toEqual([]);
});

/** Runs a script in a folder like a reader's, in which `npx kubestream` is the packed package. */
function shell(project: string, script: string): { status: number | null; out: string } {
  const bin = join(project, "bin");
  mkdirSync(bin, { recursive: true });
  const program = `exec '${process.execPath}' '${join(folder, "dist/cli/main.js")}' "$@"`;
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

it("guide to CI: the embedded server starts in the background, runs the tests and writes its state", () => {
  const project = mkdtempSync(join(app, "ci-"));
  mkdirSync(join(project, "test/manifests"), { recursive: true });
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "loaded", namespace: "default" } };
  writeFileSync(join(project, "test/manifests/map.json"), JSON.stringify(map));
  const scripts = { "test:integration": 'grep -q token "$KUBECONFIG"' };
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "p", scripts }));
  const [background = [], envtest = []] = blocksOf("docs/guides/testing-ci.md");
  const { status, out } = shell(project, withPort(background.join("\n"), 18_437));
  expect({ status, out: status === 0 ? "" : out }).toEqual({ status: 0, out: "" });
  const dumped = readdirSync(join(project, ".build/state"), { recursive: true }) as string[];
  expect(dumped.some((name) => /loaded/.test(name))).toBe(true);

  expect(envtest[1]).toBe("go test ./...");
  const assets = shell(project, `${envtest[0]}\nls "$KUBEBUILDER_ASSETS"`);
  expect(assets).toEqual({ status: 0, out: "etcd\nkube-apiserver\n" });
});

it("guide to custom kinds: types are generated from files and from a cluster, with equal bytes", () => {
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
  const [[files = "", cluster = ""] = []] = blocksOf("docs/guides/custom-kinds.md");
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

it("guide to dashboards: the proxy serves the current context to an allowed page", () => {
  const project = mkdtempSync(join(app, "proxy-"));
  const [[command = ""] = []] = blocksOf("docs/guides/dashboards.md");
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
});
