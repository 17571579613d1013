// Runs upstream's own end-to-end specs, unmodified. Those of specs.txt run against `kubestream apiserver` and the
// unmodified kube-controller-manager; those of cluster-specs.txt against `kubestream cluster`, without any other program.
// With the word `apiserver` or `cluster` on the command line, only one of the two runs; a file after it replaces the
// list. With `enumerate`, none runs: each spec of upstream's must be in one of the lists or in excluded-specs.json. The
// programs are built once from their Go modules into .build, which takes minutes. Specs that don't pass yet are listed in
// known-failures.json with the reason.
import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
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
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { enumerateSpecs } from "./enumerate.js";

interface SpecReport {
  readonly LeafNodeType: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly NumAttempts: number;
  readonly Failure?: { readonly Message: string };
}

const version = "v1.36.3";
const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const programs = join(root, ".build/upstream-e2e");
const limitMinutes = 40;
/** Nodes of a cluster. */
const nodes = 6;
/** Processes that run specs of a cluster at the same time: most of these specs wait. */
const lanes = 4;

/** Builds a program, if it doesn't exist. */
function build(name: string, words: readonly string[], what: string): string {
  const target = join(programs, name);
  if (existsSync(target)) return target;
  console.log(`building ${name}`);
  mkdirSync(programs, { recursive: true });
  const linker = [
    ["component-base/version.gitVersion", version],
    ["component-base/version.gitMajor", "1"],
    ["component-base/version.gitMinor", "36"],
    ["client-go/pkg/version.gitVersion", version],
  ];
  const flags = [
    "-ldflags",
    `-s -w ${linker.map(([variable, value]) => `-X k8s.io/${variable!}=${value!}`).join(" ")}`,
  ];
  execFileSync("go", [...words, ...flags, "-o", `${target}.part`, what], {
    cwd: here,
    stdio: "inherit",
    env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=mod" },
  });
  renameSync(`${target}.part`, target);
  return target;
}

/**
 * Returns the path of kubectl, which some specs call: the one built with the real kube-apiserver, or the one on the
 * PATH.
 */
function kubectl(): string | undefined {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(process.env["HOME"] ?? "", ".cache");
  const places = [process.env["KUBEBUILDER_ASSETS"], join(cache, "kube-assets", version)]
    .filter((place) => place !== undefined)
    .map((place) => join(place, "kubectl"));
  return (
    places.find((place) => existsSync(place)) ??
    (spawnSync("kubectl", ["version", "--client"]).status === 0 ? "kubectl" : undefined)
  );
}

/** Starts a subcommand that serves the API, and returns it with its URL. */
async function serve(words: readonly string[], folder: string): Promise<{ child: ChildProcess; url: string }> {
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, 'admin-token,admin,admin-uid,"system:masters"\n');
  const flags = ["--token-auth-file", tokens, "--authorization-mode", "RBAC"];
  const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...words, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("exit", (code) => fail(new Error(`the server exited with ${String(code)} before it was ready`)));
  });
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

async function startServer(folder: string, kubeconfig: string): Promise<ChildProcess> {
  const { child, url } = await serve(["apiserver", "--kubeconfig", kubeconfig, "--controllers", ""], folder);
  // A node without a kubelet, which satisfies specs that only look for one.
  const response = await fetch(`${url}/api/v1/nodes`, {
    method: "POST",
    body: readFileSync(join(here, "node.json")),
    headers: { authorization: "Bearer admin-token", "content-type": "application/json" },
  });
  if (response.status !== 201) throw new Error(await response.text());
  return child;
}

function startControllers(program: string, folder: string, kubeconfig: string): ChildProcess {
  const at = (name: string): string => join(folder, name);
  const authority = /certificate-authority-data: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))![1]!;
  writeFileSync(at("ca.crt"), Buffer.from(authority, "base64"));
  const openssl = (...words: string[]): void => void execFileSync("openssl", words, { stdio: "ignore" });
  openssl("genrsa", "-out", at("tokens.key"), "2048");
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    at("signer.key"),
    "-out",
    at("signer.crt"),
    "-days",
    "2",
    "-subj",
    "/CN=signer",
  );
  const flags = [
    ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map((name) => `--${name}=${kubeconfig}`),
    "--leader-elect=false",
    "--secure-port=0",
    "--controllers=*,-node-lifecycle-controller",
    `--service-account-private-key-file=${at("tokens.key")}`,
    `--root-ca-file=${at("ca.crt")}`,
    `--cluster-signing-cert-file=${at("signer.crt")}`,
    `--cluster-signing-key-file=${at("signer.key")}`,
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  ];
  const log = openSync(join(programs, "kube-controller-manager.log"), "w");
  const child = spawn(program, flags, { stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill();
  await ended;
}

interface SpecRun {
  readonly program: string;
  readonly kubeconfig: string;
  readonly folder: string;
  /** Path of kubectl. */
  readonly client: string;
  /** Number of nodes that can run pods. */
  readonly nodes: number;
}

/** Runs the specs in one process and returns their results. */
async function runSpecs(
  { program, kubeconfig, folder, client, nodes }: SpecRun,
  specs: readonly string[],
  name: string,
): Promise<Map<string, SpecReport>> {
  if (specs.length === 0) return new Map();
  const report = join(folder, `${name}.json`);
  const focus = specs.map((spec) => `--ginkgo.focus=${spec.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`);
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${client}`,
    `--num-nodes=${String(nodes)}`,
    "--allowed-not-ready-nodes=-1",
    "--provider=skeleton",
    "--dump-logs-on-failure=false",
    "--disable-log-dump",
    "--repo-root=",
    "--ginkgo.no-color",
    `--ginkgo.timeout=${String(limitMinutes)}m`,
    "--ginkgo.grace-period=5s",
    `--ginkgo.json-report=${report}`,
  ];
  const log = openSync(join(programs, `${name}.log`), "w");
  const child = spawn(program, [...flags, ...focus], { cwd: folder, stdio: ["ignore", log, log] });
  closeSync(log);
  await new Promise((done) => child.once("exit", done));
  const [suite] = JSON.parse(readFileSync(report, "utf8")) as { SpecReports: SpecReport[] }[];
  const ran = suite!.SpecReports.filter(
    ({ LeafNodeType, State, NumAttempts }) =>
      LeafNodeType === "It" && State !== "pending" && (State !== "skipped" || NumAttempts > 0),
  );
  return new Map(ran.map((one) => [[...(one.ContainerHierarchyTexts ?? []), one.LeafNodeText].join(" "), one]));
}

/** Runs specs in several processes, and those that need a cluster of their own one after another. */
async function runInLanes(run: SpecRun, specs: readonly string[]): Promise<Map<string, SpecReport>> {
  const isSerial = (spec: string): boolean => spec.includes("[Serial]");
  const parallel = specs.filter((spec) => !isSerial(spec));
  const reports = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      runSpecs(
        run,
        parallel.filter((_spec, index) => index % lanes === lane),
        `cluster-${String(lane + 1)}`,
      ),
    ),
  );
  const serial = await runSpecs(run, specs.filter(isSerial), "cluster-serial");
  return new Map([...reports, serial].flatMap((each) => [...each]));
}

/** Prints the specs whose result isn't the expected one. Returns true if every result is. */
function judge(specs: readonly string[], reports: ReadonlyMap<string, SpecReport>): boolean {
  const known = JSON.parse(readFileSync(join(here, "known-failures.json"), "utf8")) as Record<string, string>;
  let [passed, listed, wrong] = [0, 0, 0];
  for (const spec of specs) {
    const report = reports.get(spec);
    const ok = report?.State === "passed";
    if (ok) passed += 1;
    if (!ok && known[spec] !== undefined) listed += 1;
    if (ok === (known[spec] === undefined)) continue;
    wrong += 1;
    console.log(
      ok
        ? `passes, although it stands in known-failures.json: ${spec}`
        : `${report?.State ?? "not run"}: ${spec}\n  ${report?.Failure?.Message ?? ""}`,
    );
  }
  console.log(
    `${String(passed)} of ${String(specs.length)} specs pass, ${String(listed)} listed with a reason, ${String(wrong)} problems`,
  );
  return wrong === 0;
}

function readSpecs(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

async function runWithApiServer(suite: string, file = join(here, "specs.txt")): Promise<boolean> {
  const controllerManager = build("kube-controller-manager", ["build"], "./controller-manager");
  const specs = readSpecs(file);
  const folder = mkdtempSync(join(tmpdir(), "kubestream-upstream-"));
  const kubeconfig = join(folder, "kubeconfig");
  let server: ChildProcess | undefined;
  let controllers: ChildProcess | undefined;
  try {
    server = await startServer(folder, kubeconfig);
    controllers = startControllers(controllerManager, folder, kubeconfig);
    const run = { program: suite, kubeconfig, folder, client: kubectl()!, nodes: 0 };
    return judge(specs, await runSpecs(run, specs, "e2e"));
  } finally {
    await end(controllers);
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runWithCluster(suite: string, file = join(here, "cluster-specs.txt")): Promise<boolean> {
  const specs = readSpecs(file);
  const folder = mkdtempSync(join(tmpdir(), "kubestream-upstream-"));
  const kubeconfig = join(folder, "kubeconfig");
  let cluster: ChildProcess | undefined;
  try {
    ({ child: cluster } = await serve(["cluster", "--nodes", String(nodes), "--kubeconfig", kubeconfig], folder));
    const run = { program: suite, kubeconfig, folder, client: kubectl()!, nodes };
    return judge(specs, await runInLanes(run, specs));
  } finally {
    await end(cluster);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns true if each spec of upstream's is in one of the lists or excluded for a reason. */
function enumerate(program: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-upstream-"));
  const listed = new Set(["specs.txt", "cluster-specs.txt"].flatMap((name) => readSpecs(join(here, name))));
  const exclusions = JSON.parse(readFileSync(join(here, "excluded-specs.json"), "utf8")) as never;
  try {
    return enumerateSpecs({ program, folder, listed, exclusions });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const missing =
  spawnSync("go", ["version"]).status !== 0
    ? "there is no Go on this machine"
    : kubectl() === undefined
      ? "there is no kubectl on this machine"
      : undefined;
const [which, file] = process.argv.slice(2);
if (which !== undefined && which !== "apiserver" && which !== "cluster" && which !== "enumerate")
  throw new Error(`${which}: expected apiserver, cluster or enumerate`);
if (missing !== undefined) {
  console.log(`upstream's specs: skipped, ${missing}`);
} else {
  const suite = build("e2e.test", ["test", "-c", "-vet=off"], "k8s.io/kubernetes/test/e2e");
  const runs = (name: string): boolean => which === undefined || which === name;
  const results = [
    !runs("enumerate") || enumerate(suite),
    !runs("apiserver") || (await runWithApiServer(suite, file)),
    !runs("cluster") || (await runWithCluster(suite, file)),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
