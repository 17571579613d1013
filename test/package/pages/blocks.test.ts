// Blocks of the pages that aren't TypeScript, which docs.test.ts compiles: YAML, JSON and JavaScript are parsed, and commands must
// name options and scripts that exist.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, inject, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { root } from "../pack.js";

const { folder } = inject("packed");
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples", ".github"].flatMap((top) =>
    (readdirSync(join(root, top), { recursive: true }) as string[]).map((name) => join(top, name)),
  ),
].filter((name) => name.endsWith(".md") && !name.includes("node_modules"));

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const blocks = pages.flatMap((page): Block[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm)].map(
    ([, language = "", text = ""]) => ({ page, language, text }),
  ),
);

/** Parsers by language. They return the first problem, or throw it. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  yaml: (text) => parseAllDocuments(text).flatMap(({ errors }) => errors)[0],
  json: (text) => void JSON.parse(text),
  js: (text) => void transformSync(text, { loader: "js", format: "esm" }),
};
/** Blocks that other tests compile or run, or that show output, commands or programs of other languages. */
const elsewhere = ["ts", "tsx", "text", "diff", "sh", "dockerfile", "rust", "go"];

it("every block of a page is in a language that a test knows", () => {
  const unknown = blocks.filter(({ language }) => !(language in parsers) && !elsewhere.includes(language));
  expect(unknown.map(({ page, language }) => `${page}: ${language}`)).toEqual([]);
});

it.each(Object.keys(parsers))("every %s block of a page can be parsed", (language) => {
  const problems = blocks
    .filter((block) => block.language === language)
    .map(({ page, text }) => ({ page, problem: problemOf(() => parsers[language]?.(text)) }))
    .filter(({ problem }) => problem !== undefined);
  expect(problems).toEqual([]);
});

function problemOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return error;
  }
}

it.each(["apiserver", "types", "demo", "proxy", "cluster", "flowcontrol"])(
  "every option of kubestream %s in a page exists",
  (command) => {
    const { stdout: help } = spawnSync(process.execPath, [join(folder, "dist/cli/main.js"), command, "--help"], {
      encoding: "utf8",
      timeout: 60_000,
    });
    const known = new Set(help.match(/--[a-z][a-z-]*/g));
    const pattern = new RegExp(`\\bkubestream ${command}\\b([^\`#&|;\\n]*(?:\\\\\\n[^\`#&|;\\n]*)*)`, "g");
    const used = pages.flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(pattern)].flatMap(([, words = ""]) =>
        (words.match(/--[a-z][a-z-]*/g) ?? []).map((option) => ({ page, option })),
      ),
    );
    expect(known.size).toBeGreaterThan(3);
    expect(used.filter(({ option }) => !known.has(option))).toEqual([]);
  },
);

it("every npm script in a page exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)]
      .map(([, name = ""]) => name)
      // Scripts of the reader's own project, in the page about CI.
      .filter((name) => !(name in scripts) && name !== "test:integration")
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});
