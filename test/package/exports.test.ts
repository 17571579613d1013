import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kindPaths, manifest, root } from "./pack.js";

const needsNode = new Set(["node", "apiserver/node"]);

it("package.json exports every src folder with an index.ts, with conditions in publint's order", () => {
  const expected: Record<string, unknown> = { "./package.json": "./package.json" };
  const files = readdirSync(join(root, "src"), { recursive: true }) as string[];
  for (const file of files.map((name) => name.replaceAll("\\", "/"))) {
    if (file !== "index.ts" && !file.endsWith("/index.ts")) continue;
    const folder = file === "index.ts" ? "" : file.slice(0, -"/index.ts".length);
    const base = folder === "" ? "./dist/index" : `./dist/${folder}/index`;
    expected[folder === "" ? "." : `./${folder}`] = {
      types: `${base}.d.ts`,
      ...(needsNode.has(folder) ? { browser: null } : {}),
      default: `${base}.js`,
    };
  }
  if (kindPaths().length > 0) expected["./kinds/*"] = { types: "./dist/kinds/*.d.ts", default: "./dist/kinds/*.js" };
  expect(manifest().exports).toEqual(expected);
  for (const target of Object.values(manifest().exports)) {
    if (typeof target !== "string")
      expect(Object.keys(target)).toEqual(["types", ...("browser" in target ? ["browser"] : []), "default"]);
  }
});

it("top-level folder contains only the agreed files", () => {
  const agreed =
    /^([.].*|package(-lock)?[.]json|tsconfig[.]json|typedoc[.]json|src|proto|test|examples|docs|dist|site|node_modules|README[.]md|LICENSE|NOTICE|(CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|SECURITY)[.]md)$/;
  expect(readdirSync(root).filter((name) => !agreed.test(name))).toEqual([]);
  expect(existsSync(join(root, "LICENSE"))).toBe(true);
});
