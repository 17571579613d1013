// Checks that a release may be published: `npm run release:check [-- --tag v1.2.3]`. See docs/publishing.md.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../pack.js";
import { releaseProblems } from "./release-problems.js";

const { values } = parseArgs({ options: { tag: { type: "string" } } });
const problems = releaseProblems({
  manifest: readManifest("package.json"),
  templates: readManifest("examples/create-kubestream/package.json"),
  changelog: readFileSync(join(root, "CHANGELOG.md"), "utf8"),
  tag: values.tag,
  changedFiles: execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter(Boolean),
});
function readManifest(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, file), "utf8")) as Record<string, unknown>;
}

for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "ready to publish" : `${String(problems.length)} problems, see docs/publishing.md`);
process.exitCode = problems.length === 0 ? 0 : 1;
