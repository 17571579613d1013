// Runs controller-runtime's own suites, unmodified, against the built package: all of them, or those on the command
// line, such as `pkg/client`. Specs that don't pass are listed in known-failures.json with the reason.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Counts, reportTests, runSuites, type SuiteRun, suiteLimit } from "../envtest-suite.js";

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

const here = fileURLToPath(new URL(".", import.meta.url));
/** Reasons by suite, containers and spec. */
const known = JSON.parse(readFileSync(join(here, "known-failures.json"), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>;
/**
 * Specs that race with the informer they wait for. They expect an error with a canceled context, but get none if the
 * informer is faster. They may fail.
 */
const racy = /should return an error when context is cancelled$|should allow for get informer to be cancelled$/;

function nameOf({ LeafNodeType, ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return LeafNodeType === "It" ? [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ") : `[${LeafNodeType}]`;
}

function report(run: SuiteRun): Counts {
  return run.suite === "pkg/client/apiutil" ? reportTests(run) : reportSpecs(run);
}

function reportSpecs({ suite, minimum, status, output, text, written, seconds }: SuiteRun): Counts {
  const [{ SuiteSucceeded, SpecReports } = { SuiteSucceeded: true, SpecReports: [] }] = JSON.parse(
    written ?? "[]",
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
  const tests = [...text.matchAll(/^--- FAIL: (\S+)/gm)].map(([, name]) => name!);
  const others = tests.length - (SuiteSucceeded ? 0 : 1);
  if (others > 0) problems.push(`tests without Ginkgo fail, among ${tests.join(", ")}; see ${output}`);
  else if (status !== 0 && SuiteSucceeded) problems.push(`the program exited with ${String(status)}; see ${output}`);

  console.log(`${suite}: ${String(passed)} of ${String(specs.length)} specs pass, ${String(seconds)} s`);
  for (const problem of problems) console.log(`  ${problem}`);
  const failed = Math.max(specs.length, minimum) - passed + Math.max(others, 0);
  return { passed, failed, listed, problems: problems.length };
}

await runSuites({
  name: "controller-runtime",
  module: "sigs.k8s.io/controller-runtime",
  suites: {
    "pkg/client": 311,
    "pkg/client/apiutil": 26,
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
  },
  flags: (file) => [
    "-test.v",
    // These tests download a kube-apiserver of Kubernetes 1.28.
    "-test.skip=/aggregatedDiscovery=false",
    `-test.timeout=${suiteLimit}`,
    `--ginkgo.timeout=${suiteLimit}`,
    "--ginkgo.grace-period=5s",
    "--ginkgo.no-color",
    `--ginkgo.json-report=${file}`,
  ],
  report,
});
