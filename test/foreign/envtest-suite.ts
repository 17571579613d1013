// Builds and runs the suites of a Go module whose tests use envtest, unmodified, on the programs that `kubestream
// envtest` writes.
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
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const testBinary = "suite.test";
const limitMinutes = 15;

/** Suites of a Go module. */
export interface GoSuites {
  /** Name of the folder below `test/foreign` whose go.mod requires the module, and of its folder below `.build`. */
  readonly name: string;
  /** Path of the module. */
  readonly module: string;
  /** Modules that belong in folders of the module, by folder: its go.mod replaces them. */
  readonly nested?: Readonly<Record<string, string>> | undefined;
  /** Suites with the minimum number of tests that must run. */
  readonly suites: Readonly<Record<string, number>>;
  /** Returns the flags for a suite's program. `report` is a file that it may write. */
  flags(report: string): readonly string[];
  /** Reads the results of a suite, and prints its problems. */
  report(run: SuiteRun): Counts;
}

/** A suite that was run. */
export interface SuiteRun {
  readonly suite: string;
  /** Minimum number of tests. */
  readonly minimum: number;
  /** Exit status; `null` after a signal. */
  readonly status: number | null;
  /** File with the output. */
  readonly output: string;
  /** Text of the output. */
  readonly text: string;
  /** Text of the report, if one was written. */
  readonly written: string | undefined;
  /** Duration in seconds. */
  readonly seconds: number;
}

/** Results of a suite. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Number of failed tests that are listed as known. */
  readonly listed: number;
  /** Number of problems of the run. */
  readonly problems: number;
}

/** Time limit of a suite, for its flags. */
export const suiteLimit: string = `${String(limitMinutes)}m`;

/** Reads the results of Go's own tests, with subtests, from the output of a program that ran with `-test.v`. */
function goTests(text: string): { readonly passed: number; readonly failed: readonly string[] } {
  const lines = [...text.matchAll(/^ *--- (PASS|FAIL): (\S+)/gm)];
  return {
    passed: lines.filter(([, result]) => result === "PASS").length,
    failed: lines.flatMap(([, result, name]) => (result === "FAIL" ? [name!] : [])),
  };
}

/** Reads and prints the results of a suite whose tests don't use Ginkgo, and that ran with `-test.v`. */
export function reportTests({ suite, minimum, status, output, text, seconds }: SuiteRun): Counts {
  const { passed, failed } = goTests(text);
  const count = passed + failed.length;
  console.log(`${suite}: ${String(passed)} of ${String(count)} tests pass, ${String(seconds)} s`);
  const problems = failed.map((name) => `failed: ${name}; see ${output}`);
  if (count < minimum) problems.push(`${String(count)} tests ran, expected at least ${String(minimum)}`);
  if (status !== 0 && failed.length === 0) problems.push(`the program exited with ${String(status)}; see ${output}`);
  for (const problem of problems) console.log(`  ${problem}`);
  return { passed, failed: Math.max(count, minimum) - passed, listed: 0, problems: problems.length };
}

/** Copies a module, with those that belong in it, from the Go module cache to a folder where its tests can be built. */
function copyModule({ name, module, nested = {} }: GoSuites, programs: string): string {
  const here = join(root, "test/foreign", name);
  const download = (path: string): Readonly<Record<"Dir" | "Version", string>> =>
    JSON.parse(execFileSync("go", ["mod", "download", "-json", path], { cwd: here, encoding: "utf8" })) as Readonly<
      Record<"Dir" | "Version", string>
    >;
  const { Dir, Version } = download(module);
  const target = join(programs, Version);
  if (existsSync(target)) return target;
  const part = `${target}.part`;
  mkdirSync(programs, { recursive: true });
  rmSync(part, { recursive: true, force: true });
  // The module cache is read-only.
  const copy = (from: string, to: string): void => {
    cpSync(from, to, { recursive: true });
    execFileSync("chmod", ["-R", "u+w", to]);
  };
  copy(Dir, part);
  for (const [folder, path] of Object.entries(nested)) copy(download(path).Dir, join(part, folder));
  renameSync(part, target);
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

/** Runs the test binary of a suite in its package's folder. */
async function execute(all: GoSuites, module: string, suite: string, assets: string): Promise<SuiteRun> {
  const report = join(assets, "report.json");
  rmSync(report, { force: true });
  const output = join(root, ".build", all.name, `${suite.replaceAll("/", "-")}.log`);
  const log = openSync(output, "w");
  const minutes = 2;
  const env = {
    ...process.env,
    KUBEBUILDER_ASSETS: assets,
    TMPDIR: assets,
    KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: `${String(minutes)}m`,
    KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: `${String(minutes)}m`,
  };
  const cwd = join(module, suite);
  const startedMs = Date.now();
  const child = spawn(join(cwd, testBinary), all.flags(report), { cwd, stdio: ["ignore", log, log], env });
  closeSync(log);
  const status = await new Promise<number | null>((done) => child.once("exit", done));
  return {
    suite,
    minimum: all.suites[suite]!,
    status,
    output,
    text: readFileSync(output, "utf8"),
    written: existsSync(report) ? readFileSync(report, "utf8") : undefined,
    seconds: Math.round((Date.now() - startedMs) / 1000),
  };
}

/**
 * Runs the suites of the command line, or all, and sets the exit status: 1 for problems, 2 for an unknown suite, 77
 * without Go. The suites are built once into `.build`, which takes minutes.
 */
export async function runSuites(all: GoSuites): Promise<void> {
  const words = process.argv.slice(2).map((name) => name.replace(/\/$/, ""));
  const chosen = words.length > 0 ? words : Object.keys(all.suites);
  const unknown = chosen.find((name) => all.suites[name] === undefined);
  if (unknown !== undefined) {
    console.error(`there is no suite ${unknown}; there are: ${Object.keys(all.suites).join(", ")}`);
    process.exitCode = 2;
    return;
  }
  if (spawnSync("go", ["version"]).status !== 0) {
    console.log("skipped: no Go to build with");
    process.exitCode = 77;
    return;
  }
  const module = copyModule(all, join(root, ".build", all.name));
  const folder = mkdtempSync(join(tmpdir(), `kubestream-${all.name}-`));
  try {
    execFileSync(process.execPath, [join(root, "dist/cli/main.js"), "envtest", folder]);
    for (const suite of chosen) build(module, suite);
    const runs: Counts[] = [];
    for (const suite of chosen) runs.push(all.report(await execute(all, module, suite, folder)));
    const sum = (count: keyof Counts): number => runs.reduce((total, run) => total + run[count], 0);
    console.log(`${String(sum("listed"))} failures are known, ${String(sum("problems"))} problems`);
    console.log(`${String(sum("passed"))} passed, ${String(sum("failed"))} failed`);
    if (sum("problems") > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
