// Runs the recipes of docs/guides/cluster.md for test runners.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blockWith } from "./page-block.js";

/** A recipe for a test runner. */
export interface RunnerRecipe {
  readonly packages: readonly string[];
  /** Text that its block contains. */
  readonly text: string;
  /** File for the block. */
  readonly file: string;
  /** Arguments of Node, relative to the folder of the packages. */
  readonly run: readonly string[];
}

export const runners: Readonly<Record<string, RunnerRecipe>> = {
  vitest: {
    packages: ["vitest"],
    text: 'from "vitest"',
    file: "web.test.ts",
    run: ["node_modules/vitest/vitest.mjs", "run"],
  },
  jest: {
    packages: ["jest", "@jest/globals"],
    text: 'from "@jest/globals"',
    file: "report.test.js",
    run: ["--experimental-vm-modules", "node_modules/jest/bin/jest.js"],
  },
};

/** Runs the test of a recipe twice in one file: the second one needs the state that the first one has changed. */
export function checkRunner(app: string, name: string, { text, file, run }: RunnerRecipe): void {
  const block = blockWith("docs/guides/cluster.md", "In a test runner", text);
  const test = block.slice(block.lastIndexOf("\ntest("));
  const cwd = join(app, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), '{"type":"module","private":true}');
  writeFileSync(join(cwd, file), block + test.replace('test("', 'test("again: '));
  const words = run.map((word) => (word.startsWith("node_modules/") ? join(app, word) : word));
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status !== 0 || !/\b2 passed/.test(stdout + stderr)) throw new Error(`${stdout}\n${stderr}`);
}
