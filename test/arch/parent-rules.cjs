const { readdirSync, readFileSync } = require("node:fs");
const { dirname, join, posix } = require("node:path");

/**
 * Rules that keep a folder and the folders below it from importing each other in both directions, which the rule
 * `no-folder-cycle` doesn't see: a folder whose files import one below is not imported from there. Index files don't
 * count, because no file in `src` imports them.
 */
module.exports = function parentRules(root) {
  const below = new Map();
  for (const name of readdirSync(join(root, "src"), { recursive: true })) {
    const file = `src/${name.replaceAll("\\", "/")}`;
    if (!file.endsWith(".ts") || file.endsWith("/index.ts")) continue;
    const folder = dirname(file);
    const text = readFileSync(join(root, file), "utf8");
    for (const [, target] of text.matchAll(/^(?!\s*\*).*(?:from|import\(?)\s*"(\.\/[^"]+)"/gm)) {
      const imported = dirname(posix.join(folder, target));
      if (imported.startsWith(`${folder}/`)) below.set(folder, (below.get(folder) ?? new Set()).add(imported));
    }
  }
  return [...below].map(([folder, children]) => ({
    name: "no-parent-cycle",
    comment: `files in ${folder} import ${[...children].join(", ")}, so these can't import files in ${folder}`,
    severity: "error",
    from: { path: [...children].map((child) => `^${child}/[^/]+$`) },
    to: { path: `^${folder}/[^/]+$` },
  }));
};
