import { expect, it } from "vitest";
import { volumeWarnings } from "../../../../src/apiserver/kinds/core/volume/volume-warnings.js";
import { createRandom } from "../../../simulation/random.js";

const warnings = (paths: readonly string[]): string[] =>
  volumeWarnings([{ name: "v", configMap: { name: "c", items: paths.map((path) => ({ key: "k", path })) } }], "spec");

/** Compares every path with every earlier one. */
function expected(paths: readonly string[]): string[] {
  const cleaned = paths.map((path) => path.replace(/\/+$/, "")).filter((path) => path !== "");
  return cleaned.flatMap((path, index) =>
    cleaned
      .slice(0, index)
      .filter((other) => `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`))
      .map((other) => `volume "v": overlapping paths: "${path}" with "${other}"`),
  );
}

it("a volume whose files overlap is warned about in the order of its items (seed 1)", () => {
  const random = createRandom(1);
  for (let round = 0; round < 300; round++) {
    const paths = Array.from({ length: random.int(12) }, () =>
      Array.from({ length: 1 + random.int(3) }, () => random.pick(["a", "b", "a-b", "a.b", ""])).join("/"),
    );
    expect(warnings(paths), JSON.stringify(paths)).toEqual(expected(paths));
  }
});

it("a volume with 60,000 equal paths gets as many warnings as fit into the headers", () => {
  expect(warnings(new Array<string>(60_000).fill("a"))).toHaveLength(200);
});
