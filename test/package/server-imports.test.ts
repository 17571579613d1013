import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";

const { folder } = inject("packed");

/** Sources that a server needs for some requests only, without the small modules that others share. */
const onDemand = [
  /^src\/gen\/(?:proto|protobuf-schema|openapi\/(?:paths|descriptions))/,
  /^src\/codec\/(?:cbor|shared)\//,
  /^src\/codec\/protobuf\/(?!varint\.|wire\.)/,
  /^src\/apiserver\/(?:custom|discovery|kubelets|msw|node)\//,
  /^src\/apiserver\/cel\/(?!values\/)/,
  /^src\/apiserver\/admission\/(?:policies|mutating-policies|webhooks)\./,
  /^src\/apiserver\/kinds\/(?:admissionregistration|apps|batch|certificates|policy|storage)\//,
  /^src\/apiserver\/kinds\/core\/(?:limit-range|pod|node|persistent-volume)/,
  /^src\/apiserver\/plugins\/pod-security-checks\./,
  /^src\/apiserver\/state\/load\./,
  /^src\/apiserver\/wire\/(?:json-index|json-to-protobuf)\./,
];

/** Returns the files that an entry imports before it runs, with their code. */
function staticImports(entry: string): Map<string, string> {
  const files = new Map([[entry, readFileSync(entry, "utf8")]]);
  // A map also iterates over what is added on the way.
  for (const [file, code] of files) {
    for (const [, path] of code.matchAll(/^(?:import |\} from )"(\.[^"]+)";$/gm)) {
      const target = join(dirname(file), path!);
      if (!files.has(target)) files.set(target, readFileSync(target, "utf8"));
    }
  }
  return files;
}

it("the first import of the server loads no module that only some requests need", () => {
  const codes = [...staticImports(join(folder, "dist/apiserver/index.js")).values()];
  const sources = codes.flatMap((code) => Array.from(code.matchAll(/^\/\/ (src\/.*)$/gm), ([, source]) => source!));
  expect(sources).toContain("src/apiserver/handlers/dispatch.ts");
  expect(sources.filter((source) => onDemand.some((pattern) => pattern.test(source)))).toEqual([]);
  // Node compiles a megabyte in about 30 ms of CPU time. If a feature that every server needs exceeds this, raise it.
  expect(codes.reduce((sum, code) => sum + code.length, 0)).toBeLessThanOrEqual(1_660_000);
});
