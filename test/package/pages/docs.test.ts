import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { expect, inject, it } from "vitest";
import { root, run } from "../pack.js";
import { exportedNames, migrationPages, moduleOfRows, rowsOf, statementOf } from "./migration-rows.js";

const pages = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...(readdirSync(join(root, "docs"), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

interface Block {
  readonly page: string;
  readonly number: number;
  readonly language: string;
  readonly source: string;
}

/** The TypeScript blocks of a page, with or without JSX. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm)].map(([, language = "", source = ""], index) => ({
    page,
    number: index + 1,
    language,
    source,
  }));
}

/** The `@example` blocks of the doc comments in a source file. */
function examplesOf(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = [...text.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*?@example(?:(?!\*\/)[\s\S])*?\*\//g)].flatMap(
    ([comment]) => [...comment.replace(/^\s*\* ?/gm, "").matchAll(/^```ts\n([\s\S]*?)^```$/gm)],
  );
  return blocks.map((match, index) => ({ page, number: index + 1, language: "ts", source: match[1] ?? "" }));
}

const sources = (readdirSync(join(root, "src"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join("src", name));

it("README shows the main example unchanged", () => {
  expect(blocksOf("README.md")[0]?.source).toBe(readFileSync(join(root, "examples/informers/list-watch.ts"), "utf8"));
});

it("code in pages and doc comments compiles", () => {
  const folder = mkdtempSync(join(mkdirFor(), "blocks-"));
  try {
    const blocks = [...pages.flatMap(blocksOf), ...sources.flatMap(examplesOf)];
    for (const { page, number, language, source } of blocks)
      writeFileSync(
        join(folder, `${page.replaceAll(/[/\\]/g, "-")}-${String(number)}.${language}`),
        `${source}\nexport {};\n`,
      );
    writeFileSync(join(folder, "migration-rows.ts"), moduleOfRows());
    const up = relative(folder, root).replaceAll("\\", "/");
    // The declarations of the package, not its sources, which would be checked as well.
    const dist = join(inject("packed").folder, "dist").replaceAll("\\", "/");
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: `${up}/test/tsconfig.json`,
        compilerOptions: {
          rootDir: up,
          paths: {
            kubestream: [`${dist}/index.d.ts`],
            "kubestream/kinds/*": [`${dist}/kinds/*.d.ts`],
            "kubestream/*": [`${dist}/*/index.d.ts`],
          },
        },
        include: ["*.ts", "*.tsx"],
      }),
    );
    expect(blocks.length).toBeGreaterThan(3);
    run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], root);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 400_000);

it("migration guides name functions that exist", () => {
  const exported = exportedNames();
  const methods = new Set(
    "remove subresource catalog find list structuredClone apply close items pages patch run".split(" "),
  );
  const unknown = migrationPages.flatMap((page) =>
    rowsOf(page)
      .flatMap((code) => [...code.matchAll(/(?<![.\w])([a-z][A-Za-z]+)(?=\()/g)].map(([, name = ""]) => name))
      .filter((name) => !exported.has(name) && !methods.has(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(exported.size).toBeGreaterThan(100);
  expect(unknown).toEqual([]);
});

it("migration guides have more than 120 calls that compile", () => {
  const statements = migrationPages.flatMap((page) => rowsOf(page).flatMap((code) => statementOf(code) ?? []));
  // Code with an ellipsis can't be compiled. The test above looks its names up.
  expect(statements.length).toBeGreaterThan(120);
});

/** Inside the tree, so that the packages of the project are found. */
function mkdirFor(): string {
  const folder = join(root, ".build");
  mkdirSync(folder, { recursive: true });
  return folder;
}

it("pages link to files that exist", () => {
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, target] of readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (target === undefined || /^[a-z]+:/.test(target)) continue;
      if (!existsSync(join(root, dirname(page), target))) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

it("every file of the examples has at most 120 lines", () => {
  const files = (readdirSync(join(root, "examples"), { recursive: true }) as string[]).filter((name) =>
    name.endsWith(".ts"),
  );
  expect(
    files
      .filter((name) => readFileSync(join(root, "examples", name), "utf8").split("\n").length > 121)
      .map((name) => basename(name)),
  ).toEqual([]);
});

it("architecture page names files that exist", () => {
  const paths = [
    ...readFileSync(join(root, "docs/architecture.md"), "utf8").matchAll(/^\|.*`([a-z]+\/[a-z0-9/.-]+[.]ts)` \|$/gm),
  ];
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, "src", path)))).toEqual([]);
});

it("README has at most 120 lines", () => {
  expect(readFileSync(join(root, "README.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});
