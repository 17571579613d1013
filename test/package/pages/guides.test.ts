import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, inject, it } from "vitest";
import { root } from "../pack.js";

const { app } = inject("packed");
const folder = join(root, "docs/guides");
/** Programs in the guides that are followed by their output, as a `text` block. */
const programs = (readdirSync(folder, { recursive: true }) as string[])
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) =>
    [
      ...readFileSync(join(folder, name), "utf8").matchAll(/^```ts\n((?:(?!^```)[^])*)^```\n\n```text\n([^]*?)^```$/gm),
    ].map(([, source = "", output = ""], index) => ({ name: `${name} ${String(index + 1)}`, source, output })),
  );

it("guides contain programs with their output", () => {
  expect(programs.length).toBeGreaterThan(7);
});

it.each(programs)("program of $name prints the documented output", ({ source, output }) => {
  const file = join(mkdtempSync(join(app, "guide-")), "main.mjs");
  writeFileSync(file, transformSync(source, { loader: "ts", format: "esm", target: "es2022" }).code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 60_000 });
  expect({ status, stderr, stdout: stdout.trimEnd() }).toEqual({ status: 0, stderr: "", stdout: output.trimEnd() });
});
