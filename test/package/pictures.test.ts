import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./pack.js";
import { renderFiles } from "./pictures/files.js";

it.each([...renderFiles()])("%s matches its data (npm run pictures)", (name, text) => {
  expect(readFileSync(join(root, name), "utf8")).toBe(text);
});
