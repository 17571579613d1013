// Fails if a commit makes a workload slower: compares the CPU time of this tree with that of the commit before, in one
// run in which their turns alternate.
//
// Usage: node test/bench/regression/main.mjs [--base REF] [--limit 1.1] [--turns 12] [--only TEXT]
//
// A workload counts as slower if it exceeds the limit in all that up to five pairs of processes measured together: the
// compiler decides differently from process to process, and one decision can cost a third of a workload's time. The
// same sources aren't measured. Exits with 77 if the base can't be compared, such as in a clone without
// history.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareBuilds, summary } from "./compare.mjs";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "HEAD~1" },
    limit: { type: "string", default: "1.1" },
    turns: { type: "string", default: "12" },
    only: { type: "string", default: "" },
  },
});
const root = fileURLToPath(new URL("../../..", import.meta.url));
const limit = Number(values.limit);
const pairsOfProcesses = 5;
const bundled = ["src", "proto", "package.json", "package-lock.json", "test/package/build"];
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();

/** Bundles the JavaScript of a tree with its own build script. */
function bundle(tree, outdir) {
  const script = fileURLToPath(new URL("bundle-tree.ts", import.meta.url));
  execFileSync(join(root, "node_modules/.bin/tsx"), [script, tree, outdir], { cwd: tree, stdio: "inherit" });
  return outdir;
}

/** Returns true if the sources of the bundles are the same as those of a commit. */
function sameSources(commit) {
  const { status } = spawnSync("git", ["diff", "--quiet", commit, "--", ...bundled], { cwd: root });
  return status === 0;
}

async function check(base) {
  const builds = { base: bundle(base, join(base, "dist")), head: bundle(root, join(root, ".build/regression")) };
  const measured = new Map();
  let suspects;
  for (let pair = 1; pair <= pairsOfProcesses && suspects?.size !== 0; pair += 1) {
    // Suspects are measured longer.
    const turns = Number(values.turns) * (pair === 1 ? 1 : 2);
    const wanted = (name) => name.includes(values.only) && (suspects?.has(name) ?? true);
    const slow = new Set();
    for (const { name, base: before, head: now } of await compareBuilds({ ...builds, turns, wanted })) {
      const pairs = [...(measured.get(name) ?? []), { before, now }];
      measured.set(name, pairs);
      const { ratio, fastest } = summary(pairs);
      if (ratio > limit) slow.add(name);
      const [was, is] = fastest.map((us) => (us / 1000).toFixed(1).padStart(7));
      console.log(`${name.padEnd(36)}${was} ms ->${is} ms   ${ratio.toFixed(2)}${ratio > limit ? "  slower" : ""}`);
    }
    suspects = slow;
  }
  if (suspects.size > 0) console.log(`slower than at ${values.base}: ${[...suspects].join(", ")}`);
  return suspects.size > 0 ? 1 : 0;
}

let commit;
try {
  commit = git("rev-parse", "--verify", `${values.base}^{commit}`);
} catch {
  console.log(`skipped: this clone has no commit ${values.base}`);
  process.exit(77);
}
if (sameSources(commit)) {
  console.log(`the same code as at ${values.base}`);
  process.exit(0);
}
mkdirSync(join(root, ".build"), { recursive: true });
const tree = mkdtempSync(join(root, ".build/base-"));
try {
  git("worktree", "add", "--detach", "--force", tree, commit);
  if (!existsSync(join(tree, "node_modules"))) symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  process.exitCode = await check(tree);
} finally {
  git("worktree", "remove", "--force", tree);
  rmSync(tree, { recursive: true, force: true });
}
