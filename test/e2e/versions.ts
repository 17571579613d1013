// Runs the suites of the client against other versions of kube-apiserver. It builds them from their published Go modules,
// once, which takes some minutes and needs Go.
//
// npm run test:versions              every version that the documentation names
// npm run test:versions -- newest
// npm run test:versions -- 1.33.6
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAssets } from "./control-plane.js";

/** The versions that the documentation names, next to the one of the types. */
const tested = ["1.31.14", "1.34.4", "1.37.2"];
const etcdVersion = "3.6.8";
/** Exit code for the program that runs all checks: nothing was tested. */
const skipped = 77;
const buildTimeoutMs = 600_000;
const files = ["suites", "informer-faults", "types", "tutorials", "logins"];
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(process.env["HOME"] ?? "", ".cache"), "kube-assets");

/** Returns the text of a module's go.mod. Exits if modules can't be downloaded. */
function downloadGoMod(module: string): string {
  const download = spawnSync("go", ["mod", "download", "-json", module], {
    encoding: "utf8",
    cwd: tmpdir(),
    timeout: buildTimeoutMs,
  });
  if (download.status !== 0) {
    console.log(`skipped: ${module} can't be downloaded`);
    process.exit(skipped);
  }
  return readFileSync((JSON.parse(download.stdout) as { GoMod: string }).GoMod, "utf8");
}

/**
 * Builds a program of a module in a module of its own, so that it has exactly the dependencies of its release. Exits if that
 * isn't possible here.
 */
function build(program: string, file: string, goMod: string, flags: readonly string[] = []): void {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-build-"));
  const go = (...words: string[]): boolean =>
    spawnSync("go", words, {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod -buildvcs=false" },
      timeout: buildTimeoutMs,
    }).status === 0;
  const ldflags = ["-s", "-w", ...flags].join(" ");
  writeFileSync(join(folder, "go.mod"), goMod);
  writeFileSync(join(folder, "tools.go"), `//go:build tools\n\npackage tools\n\nimport _ "${program}"\n`);
  const built = go("mod", "tidy") && go("build", "-ldflags", ldflags, "-o", `${file}.part`, program);
  rmSync(folder, { recursive: true, force: true });
  if (!built) {
    console.log(`skipped: ${program} can't be built`);
    process.exit(skipped);
  }
  renameSync(`${file}.part`, file);
}

function buildEtcd(file: string): void {
  const module = "go.etcd.io/etcd/server/v3";
  const [goLine = ""] = /^go .*$/m.exec(downloadGoMod(`${module}@v${etcdVersion}`)) ?? [];
  build(module, file, `module build\n\n${goLine}\n\nrequire ${module} v${etcdVersion}\n`);
}

function buildKubeApiServer(version: string, file: string): void {
  const text = downloadGoMod(`k8s.io/kubernetes@v${version}`);
  const [goLine = ""] = /^go .*$/m.exec(text) ?? [];
  // Its parts are required as v0.0.0, and replaced by folders of its repository, which the module doesn't contain.
  const parts = Array.from(text.matchAll(/^\s*(?:require )?(k8s\.io\/\S+) v0\.0\.0$/gm), ([, name]) => name!);
  const release = version.replace("1.", "0.");
  build(
    "k8s.io/kubernetes/cmd/kube-apiserver",
    file,
    [
      `module build\n\n${goLine}\n`,
      `require k8s.io/kubernetes v${version}\n`,
      ...[...new Set(parts)].map((name) => `replace ${name} => ${name} v${release}`),
    ].join("\n"),
    Object.entries({ gitVersion: `v${version}`, gitMajor: "1", gitMinor: version.split(".")[1]! }).map(
      ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
    ),
  );
}

/** Returns the folder of the programs of a version, and builds what is missing. */
function assetsOf(version: string): string {
  const folder = join(cache, `v${version}`);
  mkdirSync(folder, { recursive: true });
  const etcd = join(folder, "etcd");
  const built = findAssets();
  if (!existsSync(etcd) && built !== undefined) copyFileSync(join(built, "etcd"), etcd);
  else if (!existsSync(etcd)) buildEtcd(etcd);
  const apiServer = join(folder, "kube-apiserver");
  if (!existsSync(apiServer)) buildKubeApiServer(version, apiServer);
  return folder;
}

function versions(words: readonly string[]): readonly string[] {
  if (words[0] === "newest") return tested.slice(-1);
  return words.length > 0 ? words : tested;
}

if (spawnSync("go", ["version"]).status !== 0) {
  console.log("skipped: no Go to build kube-apiserver with");
  process.exit(skipped);
}
const failed: string[] = [];
for (const version of versions(process.argv.slice(2))) {
  const env = { ...process.env, KUBEBUILDER_ASSETS: assetsOf(version) };
  const words = ["vitest", "run", "--config", "test/vitest.config.ts", "--project", "e2e"];
  console.log(`Kubernetes ${version}`);
  const run = spawnSync("npx", [...words, ...files.map((name) => `test/e2e/${name}.test.ts`)], {
    stdio: "inherit",
    env,
  });
  if (run.status !== 0) failed.push(version);
}
console.log(failed.length === 0 ? "passed" : `failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
