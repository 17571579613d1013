// Runs controller-runtime's own suites, unmodified, against the built package: all of them, or those on the command
// line, such as `pkg/client`. Their envtest.Environment starts the programs that `kubestream envtest` writes. The suites are built once into .build, which takes minutes. Specs that don't pass are listed in
// known-failures.json with the reason.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface SpecReport {
  readonly LeafNodeType: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly NumAttempts: number;
  readonly Failure?: { readonly Message: string };
}

interface SuiteReport {
  readonly SuiteSucceeded: boolean;
  /** `null` for a package whose tests don't use Ginkgo. */
  readonly SpecReports: readonly SpecReport[] | null;
}

/** Suites with the minimum number of specs that must run. */
const suites: Readonly<Record<string, number>> = {
  "pkg/client": 311,
  "pkg/cache": 276,
  "pkg/manager": 107,
  "pkg/manager/internal/integration": 2,
  "pkg/builder": 72,
  "pkg/cluster": 15,
  "pkg/controller": 32,
  "pkg/controller/controllerutil": 60,
  "pkg/handler": 96,
  "pkg/internal/controller": 75,
  "pkg/internal/recorder": 5,
  "pkg/metrics/filters": 2,
  "pkg/reconcile": 9,
  "pkg/source": 1,
  "pkg/webhook": 8,
  "pkg/envtest": 28,
};

const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const programs = join(root, ".build/controller-runtime");
/** Reasons by suite, containers and spec. */
const known = JSON.parse(readFileSync(join(here, "known-failures.json"), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>;
const testBinary = "suite.test";
const limitMinutes = 15;
/**
 * Specs that race with the informer they wait for. They expect an error with a canceled context, but get none if the
 * informer is faster. They may fail.
 */
const racy = /should return an error when context is cancelled$|should allow for get informer to be cancelled$/;

/**
 * Copies the module from the Go module cache to a folder where its tests can be built, with the requirements of its
 * go.mod.
 */
function copyModule(): string {
  const words = ["mod", "download", "-json", "sigs.k8s.io/controller-runtime"];
  const { Dir, Version } = JSON.parse(execFileSync("go", words, { cwd: here, encoding: "utf8" })) as Readonly<
    Record<"Dir" | "Version", string>
  >;
  const target = join(programs, Version);
  if (existsSync(target)) return target;
  mkdirSync(programs, { recursive: true });
  rmSync(`${target}.part`, { recursive: true, force: true });
  cpSync(Dir, `${target}.part`, { recursive: true });
  // The module cache is read-only.
  execFileSync("chmod", ["-R", "u+w", `${target}.part`]);
  renameSync(`${target}.part`, target);
  return target;
}

/** Builds the test binary of a suite, if it doesn't exist. */
function build(module: string, suite: string): void {
  const target = join(module, suite, testBinary);
  if (existsSync(target)) return;
  console.log(`building ${suite}`);
  const env = { ...process.env, GOFLAGS: "-buildvcs=false" };
  const words = ["test", "-c", "-vet=off", "-o", `${target}.part`, `./${suite}`];
  execFileSync("go", words, { cwd: module, stdio: "inherit", env });
  renameSync(`${target}.part`, target);
}

/** Writes the programs that envtest looks for. */
function writeAssets(folder: string): void {
  execFileSync(process.execPath, [join(root, "dist/cli/main.js"), "envtest", folder]);
}

/** Runs a test binary in its package's folder. Returns its exit status and the location of its output. */
async function execute(
  module: string,
  suite: string,
  assets: string,
  report: string,
): Promise<[number | null, string]> {
  const flags = [
    `-test.timeout=${String(limitMinutes)}m`,
    `--ginkgo.timeout=${String(limitMinutes - 1)}m`,
    "--ginkgo.grace-period=5s",
    "--ginkgo.no-color",
    `--ginkgo.json-report=${report}`,
  ];
  const output = join(programs, `${suite.replaceAll("/", "-")}.log`);
  const log = openSync(output, "w");
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets, TMPDIR: assets };
  const cwd = join(module, suite);
  const child = spawn(join(cwd, testBinary), flags, { cwd, stdio: ["ignore", log, log], env });
  closeSync(log);
  const status = await new Promise<number | null>((done) => child.once("exit", done));
  return [status, output];
}

function nameOf({ LeafNodeType, ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return LeafNodeType === "It" ? [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ") : `[${LeafNodeType}]`;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Number of failed specs that known-failures.json lists. */
  readonly listed: number;
  /** Number of problems of the run. */
  readonly problems: number;
}

/** Runs a suite and prints the problems. */
async function runSuite(module: string, suite: string, assets: string): Promise<Counts> {
  const minimum = suites[suite]!;
  const report = join(assets, "report.json");
  rmSync(report, { force: true });
  const startedMs = Date.now();
  const [status, output] = await execute(module, suite, assets, report);
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  const [{ SuiteSucceeded, SpecReports } = { SuiteSucceeded: true, SpecReports: [] }] = (
    existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : []
  ) as SuiteReport[];
  const started = (SpecReports ?? []).filter(({ State, NumAttempts }) => State !== "skipped" || NumAttempts > 0);
  const specs = started.filter(({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "pending");
  const passed = specs.filter(({ State }) => State === "passed").length;
  const failures = started.filter(({ State }) => State !== "passed" && State !== "pending");
  const expected = new Set(
    Object.entries(known[suite] ?? {}).flatMap(([containers, reasons]) =>
      Object.keys(reasons).map((spec) => `${containers} ${spec}`),
    ),
  );
  const listed = failures.filter((failure) => expected.has(nameOf(failure))).length;

  const problems: string[] = [];
  for (const failure of failures) {
    const name = nameOf(failure);
    if (expected.has(name)) continue;
    if (racy.test(name)) console.log(`${suite}: raced and failed: ${name}`);
    else problems.push(`${failure.State}: ${name}\n${failure.Failure?.Message ?? ""}`.replaceAll("\n", "\n    "));
  }
  const names = new Set(failures.map(nameOf));
  for (const name of expected) {
    if (!names.has(name)) problems.push(`passes or did not run, although known-failures.json lists it: ${name}`);
  }
  if (specs.length < minimum) problems.push(`${String(specs.length)} specs ran, expected at least ${String(minimum)}`);
  // A package also has tests without Ginkgo, in addition to the one that runs its specs.
  const tests = [...readFileSync(output, "utf8").matchAll(/^--- FAIL: (\S+)/gm)].map(([, name]) => name!);
  const others = tests.length - (SuiteSucceeded ? 0 : 1);
  if (others > 0) problems.push(`tests without Ginkgo fail, among ${tests.join(", ")}; see ${output}`);
  else if (status !== 0 && SuiteSucceeded) problems.push(`the program exited with ${String(status)}; see ${output}`);

  console.log(`${suite}: ${String(passed)} of ${String(specs.length)} specs pass, ${String(seconds)} s`);
  for (const problem of problems) console.log(`  ${problem}`);
  const failed = Math.max(specs.length, minimum) - passed + Math.max(others, 0);
  return { passed, failed, listed, problems: problems.length };
}

const words = process.argv.slice(2).map((name) => name.replace(/\/$/, ""));
const chosen = words.length > 0 ? words : Object.keys(suites);
const unknown = chosen.find((name) => suites[name] === undefined);
if (unknown !== undefined) {
  console.error(`there is no suite ${unknown}; there are: ${Object.keys(suites).join(", ")}`);
  process.exitCode = 2;
} else if (spawnSync("go", ["version"]).status !== 0) {
  console.log("skipped: no Go to build with");
  process.exitCode = 77;
} else {
  const module = copyModule();
  const folder = mkdtempSync(join(tmpdir(), "kubestream-controller-runtime-"));
  try {
    writeAssets(folder);
    for (const suite of chosen) build(module, suite);
    const runs: Counts[] = [];
    for (const suite of chosen) runs.push(await runSuite(module, suite, folder));
    const sum = (count: keyof Counts): number => runs.reduce((total, run) => total + run[count], 0);
    console.log(`${String(sum("listed"))} failures stand in known-failures.json, ${String(sum("problems"))} problems`);
    console.log(`${String(sum("passed"))} passed, ${String(sum("failed"))} failed`);
    if (sum("problems") > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
