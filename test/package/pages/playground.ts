// Programs of the playground, which end with a comment that shows their output.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build/entries.js";

/** A program of the playground. */
export interface PlaygroundExample {
  readonly file: string;
  readonly source: string;
  /** Output that the program claims to have. */
  readonly output: string;
}

/** Returns the programs in the order in which the playground offers them. */
export function playgroundExamples(): PlaygroundExample[] {
  const folder = join(root, "docs/site/playground/examples");
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const source = readFileSync(join(folder, file), "utf8");
      const [, lines = ""] = /\n\/\/ Prints:\n([^]*)$/.exec(source) ?? [];
      return { file, source, output: lines.trim().replace(/^\/\/ ?/gm, "") };
    });
}
