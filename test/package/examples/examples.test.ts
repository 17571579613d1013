import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../pack.js";
import { expectedOutput as expected } from "./expected-output.js";

const examples = (readdirSync(join(root, "examples"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.replaceAll("\\", "/"))
  // The tutorials have tests of their own. `check:runtimes` runs those of the runtimes, `check:dashboard` the dashboard.
  .filter((name) => !/^(?:tutorials|runtimes|dashboard)[/]/.test(name));

it("every example has fewer than 60 lines", () => {
  const long = examples.filter((name) => readFileSync(join(root, "examples", name), "utf8").split("\n").length > 60);
  expect(long).toEqual([]);
});

it("the index names every example", () => {
  const index = readFileSync(join(root, "examples/README.md"), "utf8");
  expect(examples.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

it("every example has an expected output", () => {
  expect(Object.keys(expected).sort()).toEqual(examples.sort());
});
