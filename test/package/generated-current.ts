// Runs the generator and fails if the generated files in the tree are out of date.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./pack.js";

function snapshot(): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of ["src/kinds", "src/gen"]) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length), createHash("sha256").update(readFileSync(path)).digest("hex"));
    }
  }
  return files;
}

const before = snapshot();
run("npm", ["run", "--silent", "generate"], root);
const after = snapshot();
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (name) => before.get(name) !== after.get(name),
);
for (const name of changed.slice(0, 20)) console.error(`out of date: ${name}`);
console.log(`${String(after.size)} generated files, ${String(changed.length)} out of date`);
process.exitCode = changed.length === 0 ? 0 : 1;
