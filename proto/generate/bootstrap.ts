import { readFileSync } from "node:fs";
import type { Output } from "./output.js";

/** Writes the objects that a server has from its start on: namespaces, default roles, flow control. */
export function generateBootstrap(output: Output): void {
  const objects = JSON.parse(readFileSync(new URL("../bootstrap.json", import.meta.url), "utf8")) as unknown[];
  output.add(
    "src/gen/bootstrap.ts",
    `
const text = ${JSON.stringify(JSON.stringify(objects))};

let objects: readonly unknown[] | undefined;

/** Returns the objects that every new server has, without server-set fields. They are shared; don't change them. */
export function bootstrapObjects(): readonly unknown[] {
  return (objects ??= JSON.parse(text) as unknown[]);
}
`.trimStart(),
  );
}
