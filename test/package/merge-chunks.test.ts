import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { mergeChunks, type OutputFile } from "./build/merge-chunks.js";

const { folder } = inject("packed");

/** Files whose imports are those of their code. */
function outputs(sources: Readonly<Record<string, string>>): Map<string, OutputFile> {
  const files = Object.entries(sources).map(([path, code]): [string, OutputFile] => [
    path,
    {
      code,
      exports: [...code.matchAll(/export (?:const|class) (\w+)/g)].map((match) => match[1]!),
      imports: [...code.matchAll(/(import\()?"(\.[^"]+)"/g)].map(([, dynamic, target]) => ({
        path: join(dirname(path), target!),
        dynamic: dynamic !== undefined,
        external: false,
      })),
    },
  ]);
  return new Map(files);
}

/** Entries of a package with one subpath for each anchor. */
const entries = { "cache/index.js": "", "apiserver/index.js": "", "node/index.js": "" };

it("the build merges chunks that the same entries import, and redirects their imports", async () => {
  const merged = await mergeChunks(
    outputs({
      ...entries,
      "index.js":
        'import {\n  a\n} from "./shared/a.js";\nimport {\n  b\n} from "./shared/b.js";\nexport const both = [a, b];\n',
      "shared/a.js": "export const a = 1;\n",
      "shared/b.js": 'import { a } from "./a.js";\nexport const b = () => a;\n',
    }),
  );
  expect([...merged.keys()].filter((path) => path.startsWith("shared/"))).toEqual(["shared/common-index.js"]);
  expect(merged.get("index.js")!.match(/from ".*"/g)).toEqual(Array(2).fill('from "./shared/common-index.js"'));
});

it.each([
  ["names that two chunks export", "export const b = 2;\n", "export const b = 3;\n"],
  ["statements that bundlers can't drop", `export const b = ${"f(0) + ".repeat(200)}1;\n`, "export const c = 3;\n"],
  [
    "a path through a file that stays alone",
    'import { x } from "../sub/x.js";\nexport const b = () => x;\n',
    "export const c = 3;\n",
  ],
])("the build keeps chunks apart because of %s", async (_, b, c) => {
  const merged = await mergeChunks(
    outputs({
      ...entries,
      "index.js": 'import "./shared/b.js";\nimport "./shared/c.js";\n',
      "sub/x.js": 'import { c } from "../shared/c.js";\nexport const x = () => c;\n',
      "shared/b.js": b,
      "shared/c.js": c,
    }),
  );
  expect([...merged.keys()].filter((path) => path.startsWith("shared/"))).toEqual(["shared/b.js", "shared/c.js"]);
});

it.each([
  ["at once", 'import "../shared/a.js";\n'],
  ["on demand", 'export const later = () => import("../shared/later.js");\n'],
])("the build merges the same chunks of pages if the server imports one of them %s", async (_, server) => {
  const merged = await mergeChunks(
    outputs({
      ...entries,
      "apiserver/index.js": server,
      "index.js": ["a", "b", "c"].map((name) => `import "./shared/${name}.js";\n`).join(""),
      "shared/a.js": "export const a = 1;\n",
      "shared/b.js": "export const b = 2;\n",
      "shared/c.js": "export const c = 3;\n",
      "shared/later.js": 'import { a } from "./a.js";\nexport const d = () => a;\n',
    }),
  );
  expect(merged.get("shared/common-index.js")!.match(/\w = \d/g)).toEqual(["b = 2", "c = 3"]);
});

it("the build doesn't merge chunks into files that import each other", async () => {
  const merged = await mergeChunks(
    outputs({
      ...entries,
      "index.js": ["a", "b", "c", "d"].map((name) => `import "./shared/${name}.js";\n`).join(""),
      // Files with the same export can't be merged, so without the rule a and c would be one file, b and d the other.
      "shared/a.js": 'import { w } from "./d.js";\nexport const v = () => w;\n',
      "shared/b.js": 'import { w } from "./c.js";\nexport const v = () => w;\n',
      "shared/c.js": "export const w = 1;\n",
      "shared/d.js": "export const w = 2;\n",
    }),
  );
  const shared = [...merged.keys()].filter((path) => path.startsWith("shared/"));
  expect(shared.sort()).toEqual(["shared/b.js", "shared/common-index.js", "shared/d.js"]);
});

it("the build merges nothing that makes the import of an entry expensive", async () => {
  const chunk = (name: string): string => `export const ${name} = () => "${"-".repeat(50_000)}";\n`;
  const merged = await mergeChunks(
    outputs({
      ...entries,
      "index.js": 'import "./shared/b.js";\nimport "./shared/c.js";\n',
      "sub/index.js": 'import "../shared/b.js";\n',
      "shared/b.js": chunk("b"),
      "shared/c.js": chunk("c"),
    }),
  );
  expect(merged.has("shared/b.js")).toBe(true);
});

it("the build merges chunks of the server although chunks of pages have made an entry expensive", async () => {
  const merged = await mergeChunks(
    outputs({
      ...entries,
      "apiserver/index.js": 'import "../shared/s.js";\nimport "../shared/t.js";\n',
      // For chunks of pages, entries that contain the server may become expensive.
      "cluster/index.js": 'import "../shared/a.js";\n',
      "index.js": 'import "./shared/a.js";\nimport "./shared/b.js";\n',
      "shared/a.js": "export const a = 1;\n",
      "shared/b.js": `export const b = () => "${"-".repeat(100_000)}";\n`,
      "shared/s.js": "export const s = 3;\n",
      "shared/t.js": "export const t = 4;\n",
    }),
  );
  const shared = [...merged.keys()].filter((path) => path.startsWith("shared/"));
  expect(shared.sort()).toEqual(["shared/common-apiserver.js", "shared/common-index.js"]);
});

it.each([
  ["index.js", 15],
  ["cache/index.js", 13],
  ["apiserver/index.js", 20],
  ["node/index.js", 32],
])("an import of %s loads at most %i files of the package", (entry, most) => {
  expect(importedBy(entry).length).toBeLessThanOrEqual(most);
});

it("an import of the API server loads neither CEL nor Go's regular expressions", () => {
  const code = importedBy("apiserver/index.js").map((file) => readFileSync(file, "utf8"));
  const modules = code.flatMap((text) => text.match(/^\/\/ src\/.*|^import .*"re2js";$/gm) ?? []);
  expect(modules).toContain("// src/apiserver/server.ts");
  expect(
    modules.filter((line) => /re2|cel\/(?:cel|rules|policy|device|parser|checker|evaluator|cost)/.test(line)),
  ).toEqual([]);
});

/** Returns the files of the package that an import of an entry loads at once. */
function importedBy(entry: string): string[] {
  const files = new Set([join(folder, "dist", entry)]);
  for (const file of files)
    for (const match of readFileSync(file, "utf8").matchAll(/^(?:import |\} from )"(\.[^"]+)";$/gm))
      files.add(join(dirname(file), match[1]!));
  return [...files];
}
