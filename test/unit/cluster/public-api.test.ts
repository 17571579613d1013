// The controllers of a cluster are examples: what they import from the SDK, users can import too.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const controllers = join(root, "src/cluster/controllers");

/** Returns the names and the file of each import or export of a module that names a file. */
function links(file: string, keyword: "import" | "export"): { readonly names: string[]; readonly target: string }[] {
  const pattern = new RegExp(`^${keyword} (?:type )?(?:\\{([^}]*)\\}|\\*) from "(\\.[^"]*)"`, "gm");
  return [...readFileSync(file, "utf8").matchAll(pattern)].map(([, names = "*", target = ""]) => ({
    names: names
      .split(",")
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type /, "")
            .split(" as ")[0]!,
      )
      .filter((name) => name !== ""),
    target: relative(root, resolve(file, "..", target)).replace(/\.js$/, ".ts"),
  }));
}

const indexes = ["", ...readdirSync(join(root, "src"))]
  .map((folder) => join(root, "src", folder, "index.ts"))
  .filter((file) => {
    try {
      return readFileSync(file).length > 0;
    } catch {
      return false;
    }
  });
const published = new Set(
  indexes.flatMap((index) =>
    links(index, "export").flatMap(({ names, target }) => names.map((name) => `${target} ${name}`)),
  ),
);

it("the controllers of a cluster import only what the package exports", () => {
  const files = (readdirSync(controllers, { recursive: true }) as string[]).filter((name) => name.endsWith(".ts"));
  const imported = files.flatMap((file) =>
    links(join(controllers, file), "import")
      .filter(({ target }) => !target.startsWith("src/cluster/controllers/") && !target.startsWith("src/kinds/"))
      .flatMap(({ names, target }) => names.map((name) => `${target} ${name}`)),
  );
  expect(imported.length).toBeGreaterThan(100);
  expect([...new Set(imported)].filter((name) => !published.has(name)).sort()).toEqual([]);
});
