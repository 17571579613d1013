import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { PodTemplateSpec } from "../../../src/kinds/core/v1.js";
import { controllerRevisionHash, podTemplateHash } from "../../../src/objects/index.js";

/** Template with the hash that Go's code gives it. */
interface HashedTemplate {
  seed: number;
  template: PodTemplateSpec;
  collisions?: number;
  hash: string;
}

/** Output of `test/foreign/go-objects/hashes -seed 1 -count 40`. An environment variable selects another file. */
const file =
  process.env["KUBESTREAM_GO_HASHES"] ?? new URL("../../golden/pod-template-hashes.jsonl.gz", import.meta.url);
const content = readFileSync(file);
const lines = (content[0] === 0x1f ? gunzipSync(content) : content).toString("utf8").trim().split("\n");

/** Returns a template with one container, as an API server defaults it. */
function template(resources: object, others: object = {}): PodTemplateSpec {
  const name = "main";
  return { spec: { containers: [{ name, image: "web:1", resources, ...others }] } };
}

describe("podTemplateHash", () => {
  it("is that of kube-controller-manager for random templates", () => {
    const templates = lines.map((line) => JSON.parse(line) as HashedTemplate);
    const wrong = templates.filter(({ template, collisions, hash }) => podTemplateHash(template, collisions) !== hash);
    expect(wrong.map(({ seed }) => seed)).toEqual([]);
    expect(templates.length).toBeGreaterThanOrEqual(40);
  });

  it("doesn't depend on empty lists and maps, which Protobuf leaves out, but on empty objects", () => {
    const hash = podTemplateHash(template({}));
    expect(podTemplateHash(template({ limits: {} }, { args: [] }))).toBe(hash);
    expect(podTemplateHash(template({}, { securityContext: {} }))).not.toBe(hash);
  });

  it("changes with the number of collisions, also from none to zero", () => {
    const hashes = [undefined, 0, 1, 256].map((count) => podTemplateHash(template({}), count));
    expect(new Set(hashes).size).toBe(4);
  });

  it("rejects an invalid quantity with an error that names it", () => {
    for (const cpu of ["", ".", "1.2.3", "1x", "m"])
      expect(() => podTemplateHash(template({ limits: { cpu } }))).toThrow(`${JSON.stringify(cpu)} is not a quantity`);
  });

  it("rejects a quantity of more than 1,000 characters without computing with it", () => {
    const [longest, longer] = [1_000, 1_001].map((length) => template({ limits: { cpu: "7".repeat(length) } }));
    expect(podTemplateHash(longest!)).toMatch(/^[b-z2-9]+$/);
    expect(() => podTemplateHash(longer!)).toThrow(new RangeError("a quantity has at most 1000 characters, not 1001"));
  });

  it("takes a number with a huge power of ten in bounded time", () => {
    expect(podTemplateHash(template({ limits: { cpu: "1e999999999" } }))).toMatch(/^[b-z2-9]+$/);
  });
});

describe("controllerRevisionHash", () => {
  it("depends on the content, but not on the order of members", () => {
    const data = { spec: { template: { $patch: "replace", metadata: { labels: { a: "1", b: "<2>" } } } } };
    const other = { spec: { template: { metadata: { labels: { b: "<2>", a: "1" } }, $patch: "replace" } } };
    expect(controllerRevisionHash(other)).toBe(controllerRevisionHash(data));
    expect(controllerRevisionHash(data, 1)).not.toBe(controllerRevisionHash(data));
  });
});
