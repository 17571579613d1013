import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "./pack.js";

/** Finds optional properties whose type refuses an explicit `undefined` under `exactOptionalPropertyTypes`. */
function strictProperties(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertySignature(node) && node.questionToken && node.type && !acceptsUndefined(node.type))
      found.push(`${file}: ${node.getText(source)}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function acceptsUndefined(type: ts.TypeNode): boolean {
  const accepting = [ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.UnknownKeyword, ts.SyntaxKind.NeverKeyword];
  return accepting.includes(type.kind) || (ts.isUnionTypeNode(type) && type.types.some(acceptsUndefined));
}

function strictPropertiesBelow(folder: string): string[] {
  return (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => strictProperties(`${folder}/${name}`, readFileSync(join(root, folder, name), "utf8")));
}

describe("optional properties and exactOptionalPropertyTypes", () => {
  it("check finds an optional property that refuses undefined", () => {
    expect(strictProperties("a.ts", "interface A { b?: number; c?: number | undefined; d?(): void }")).toEqual([
      "a.ts: b?: number;",
    ]);
  });

  it("every optional property of the public API accepts undefined", () => {
    expect(strictPropertiesBelow("docs/api")).toEqual([]);
  });

  it("every optional field of the built-in kinds accepts undefined", () => {
    expect(strictPropertiesBelow("src/kinds")).toEqual([]);
  });
});
