// Runs the scenarios recorded from a real kube-apiserver against `kubestream apiserver`. Rows that don't pass yet are
// listed in known-failures.json with the reason. The run fails if an unlisted row fails, or if a listed one passes.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

interface Report {
  readonly scenarios: readonly {
    readonly id: string;
    readonly outcome: "passed" | "failed" | "skipped";
    readonly reason?: string;
  }[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
// The runner only runs if it's called by its real path.
const folder = resolve(process.env["KUBESTREAM_SHARED"] ?? join(root, "../shared"), "conformance");
const corpus = existsSync(folder) ? realpathSync(folder) : folder;
const words = process.argv.slice(2);

/** Starts the server and reads its addresses from its one line of JSON. */
async function startServer(folder: string): Promise<{ url: string; control: string; stop(): Promise<void> }> {
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, 'admin-token,admin,admin-uid,"system:masters"\nalice-token,alice,alice-uid,"dev"\n');
  const program = join(root, "dist/cli/main.js");
  const flags = [
    "--port",
    "0",
    "--kubeconfig",
    join(folder, "kubeconfig"),
    "--token-auth-file",
    tokens,
    "--authorization-mode",
    "RBAC",
    "--control",
    "--anonymous-auth",
  ];
  const child = spawn(process.execPath, [program, "apiserver", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const line = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("exit", (code) => fail(new Error(`the server exited with ${String(code)} before it was ready`)));
  });
  const { url, control } = JSON.parse(line) as { url: string; control: string };
  return {
    url,
    control,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function main(): Promise<number> {
  if (!existsSync(join(corpus, "run.mjs"))) {
    console.log(`skipped: no scenarios at ${corpus}`);
    return 0;
  }
  const temporary = mkdtempSync(join(tmpdir(), "kubestream-conformance-"));
  const server = await startServer(temporary);
  const reportFile = join(temporary, "report.json");
  try {
    const target = [
      "--url",
      server.url,
      "--control",
      server.control,
      "--token",
      "admin-token",
      "--alice-token",
      "alice-token",
      "--insecure",
    ];
    const output = ["--scenarios", join(corpus, "corpus"), "--report", "json", "--report-file", reportFile];
    spawnSync(process.execPath, [join(corpus, "run.mjs"), ...target, ...output, ...words], {
      stdio: ["ignore", "inherit", "inherit"],
      timeout: 580_000,
    });
    return judge(JSON.parse(readFileSync(reportFile, "utf8")) as Report);
  } finally {
    await server.stop();
    rmSync(temporary, { recursive: true, force: true });
  }
}

function judge(report: Report): number {
  const known = JSON.parse(readFileSync(new URL("known-failures.json", import.meta.url), "utf8")) as Record<
    string,
    string
  >;
  const problems: string[] = [];
  for (const { id, outcome, reason } of report.scenarios) {
    const listed = Object.hasOwn(known, id);
    if (outcome === "passed" && listed) problems.push(`${id} passes now: take it off known-failures.json`);
    if (outcome !== "passed" && !listed) problems.push(`${id} ${outcome}${reason === undefined ? "" : `: ${reason}`}`);
  }
  const ids = new Set(report.scenarios.map((row) => row.id));
  // A part of the corpus, selected by name, says nothing about the other rows.
  if (words.length === 0)
    for (const id of Object.keys(known))
      if (!ids.has(id)) problems.push(`${id} stands in known-failures.json and is no scenario`);
  for (const problem of problems) console.error(problem);
  const passed = report.scenarios.filter((row) => row.outcome === "passed").length;
  console.log(
    `${String(passed)} of ${String(report.scenarios.length)} scenarios pass, ${String(Object.keys(known).length)} listed with a reason, ${String(problems.length)} problems`,
  );
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
