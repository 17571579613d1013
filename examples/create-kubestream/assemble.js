// Copies the programs of the tutorials into the templates before `npm pack`, and removes the copies afterwards (--clean).
// Each program has one source: examples/tutorials.
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tutorials = { operator: "operator", dashboard: "dashboard", script: "paging" };

for (const [template, tutorial] of Object.entries(tutorials)) {
  const source = join(here, "../tutorials", tutorial);
  const target = join(here, "templates", template);
  rmSync(join(target, "src"), { recursive: true, force: true });
  rmSync(join(target, "Dockerfile"), { force: true });
  if (process.argv.includes("--clean")) continue;
  mkdirSync(join(target, "src"));
  for (const name of readdirSync(source).filter((name) => name !== "Dockerfile"))
    cpSync(join(source, name), join(target, "src", name));
  // The script runs once, on a developer's machine or in a job, so it has no image of its own.
  if (template !== "script") cpSync(join(here, "../tutorials/operator/Dockerfile"), join(target, "Dockerfile"));
}
