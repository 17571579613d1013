import { parseYaml } from "../../../src/internal/yaml.js";
import { parseManifests } from "../../../src/manifests/parse-manifests.js";
import type { Frame } from "../shapes.js";
import type { Target } from "../target.js";
import { touch } from "../target.js";
import { yamlWords } from "../vocabularies.js";

const manifests: readonly Frame[] = [
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: ", "\n"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {a: ", "}\n"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", "members"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: |\n    ", "\n"],
];

/**
 * The package `yaml` builds two trees: some 2 µs and 300 bytes for each token, and `{},` has three. The author of
 * such a text is the user of the client, so the bounds only exclude more than linear work.
 */
const trees = { cpuFactor: 600, cpuMs: 400, memoryFactor: 300 };
const maxBytes = 192 * 1024;

/** Texts that a person or a program hands to the client. */
export const texts: Record<string, Target> = {
  "yaml-manifests": {
    maxBytes,
    allowance: trees,
    vocabulary: yamlWords(manifests),
    prepare:
      ({ text }) =>
      async () =>
        touch(await parseManifests(text)),
  },
  yaml: {
    maxBytes,
    allowance: trees,
    vocabulary: yamlWords(manifests),
    prepare:
      ({ text }) =>
      () =>
        touch(parseYaml(text)),
  },
};
