// Versions of the site, side by side: a folder each, `versions.json` with their names (the newest first), and a start page that
// leads to the newest. A build replaces the folder of its own version and leaves the others.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pattern = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?$/;

/** Compares versions so that the newest comes first. A pre-release comes after its release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => (pattern.exec(version) ?? []).slice(1));
  for (const index of [0, 1, 2]) {
    const difference = Number(b?.[index]) - Number(a?.[index]);
    if (difference !== 0) return difference;
  }
  const [before = "", after = ""] = [b?.[3], a?.[3]];
  if (before === "" || after === "") return after.length - before.length;
  return before.localeCompare(after, "en", { numeric: true });
}

/** Writes `versions.json` and the start page for the versions that the folder holds. Returns the versions. */
export function writeVersions(folder: string): string[] {
  const versions = readdirSync(folder)
    .filter((name) => pattern.test(name) && existsSync(join(folder, name, "index.html")))
    .sort(compareVersions);
  const latest = versions.find((version) => !version.includes("-")) ?? versions[0];
  writeFileSync(join(folder, "versions.json"), `${JSON.stringify(versions)}\n`);
  writeFileSync(
    join(folder, "index.html"),
    `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>kubestream</title>
<meta http-equiv="refresh" content="0; url=${latest}/"></head>
<body><p><a href="${latest}/index.html">kubestream ${latest}</a></p></body></html>
`,
  );
  return versions;
}
