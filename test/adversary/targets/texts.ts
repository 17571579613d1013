import { parseYaml } from "../../../src/internal/yaml/yaml.js";
import { parseManifests } from "../../../src/manifests/parse-manifests.js";
import type { Frame } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { touch } from "../target.js";
import { yamlWords } from "../vocabularies.js";

const manifests: readonly Frame[] = [
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: ", "\n"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {a: ", "}\n"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", "members"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: |\n    ", "\n"],
];

const wellFormed = (bytes: number): string =>
  ordinary(
    bytes,
    ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", ""],
    (at) => `  k${String(at)}: v\n`,
  );
const maxBytes = 3 * 1024 * 1024;

/** Texts that a person or a program hands to the client. */
export const texts: Record<string, Target> = {
  "yaml-manifests": {
    maxBytes,
    wellFormed,
    vocabulary: yamlWords(manifests),
    prepare:
      ({ text }) =>
      async () =>
        touch(await parseManifests(text)),
  },
  yaml: {
    maxBytes,
    wellFormed,
    vocabulary: yamlWords(manifests),
    prepare:
      ({ text }) =>
      () =>
        touch(parseYaml(text)),
  },
};
