import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, inject, it } from "vitest";
import { kindPaths } from "../pack.js";

const { app, folder } = inject("packed");

/** Returns the documentation that an editor shows for the last name of each expression, in a program that uses the package. */
function hover(imports: string, expressions: readonly string[]): (string | undefined)[] {
  const file = join(mkdtempSync(join(app, "hover-")), "main.ts");
  const lines = [imports, ...expressions.map((expression) => `void ${expression};`)];
  const source = lines.join("\n");
  writeFileSync(file, source);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    types: [],
  };
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => app,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (all) => ts.getDefaultLibFilePath(all),
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
  });
  return expressions.map((_, index) => {
    const end = lines.slice(0, index + 2).join("\n").length - ";".length;
    const info = service.getQuickInfoAtPosition(file, end - 1);
    return info === undefined ? undefined : ts.displayPartsToString(info.documentation);
  });
}

it("editors show the documentation of a field on hover", () => {
  const [replicas, strategy, maxSurge, period, readOnly] = hover(
    `import type { DeepReadonly } from "kubestream";
     import type { Deployment } from "kubestream/kinds/apps/v1";
     import type { Pod } from "kubestream/kinds/core/v1";
     declare const pod: Pod; declare const deployment: Deployment; declare const cached: DeepReadonly<Deployment>;`,
    [
      "deployment.spec?.replicas",
      "deployment.spec?.strategy",
      "deployment.spec?.strategy?.rollingUpdate?.maxSurge",
      "pod.spec?.containers[0]?.livenessProbe?.periodSeconds",
      "cached.spec?.replicas",
    ],
  );
  expect(replicas).toMatch(/^Desired number of pods\. Default 1\./);
  expect(strategy).toMatch(/`RollingUpdate`/);
  expect(maxSurge).toMatch(/Default `25%`/);
  expect(period).toBe("Seconds between checks. Default 10, minimum 1.");
  expect(readOnly).toBe(replicas);
});

it("JavaScript of the kinds contains no documentation of fields", () => {
  const sources = kindPaths().map((path) => readFileSync(join(folder, `dist/kinds/${path}.js`), "utf8"));
  expect(sources.length).toBeGreaterThan(20);
  expect(sources.filter((source) => source.includes("/**") || source.includes("Desired number"))).toEqual([]);
});

it("server loads its field descriptions with the first OpenAPI request only", () => {
  const sources = (readdirSync(join(folder, "dist"), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(folder, "dist", name), "utf8"));
  const imports = sources.flatMap((source) => source.split("\n").filter((line) => line.includes("gen-descriptions")));
  expect(imports).toEqual([expect.stringContaining('import("')]);
});
