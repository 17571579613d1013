const { readdirSync } = require("node:fs");
const { dirname, join } = require("node:path");

/** A folder of `src` has fewer files than this. */
const limit = 30;

/** Rules that fail for every import in a folder with too many files, so that it is divided before it becomes a heap. */
module.exports = function sizeRules(root) {
  const counts = new Map();
  for (const name of readdirSync(join(root, "src"), { recursive: true })) {
    if (!name.endsWith(".ts") && !name.endsWith(".tsx")) continue;
    const folder = dirname(`src/${name.replaceAll("\\", "/")}`);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= limit)
    .map(([folder, count]) => ({
      name: "folder-too-large",
      comment: `${folder} has ${count} files; a folder has fewer than ${limit}`,
      severity: "error",
      from: { path: `^${folder}/[^/]+$` },
      to: {},
    }));
};
