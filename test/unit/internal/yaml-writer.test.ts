import { expect, it } from "vitest";
import { parseYaml } from "../../../src/internal/yaml/yaml.js";
import { formatYaml } from "../../../src/internal/yaml/yaml-writer.js";

it("formatYaml quotes the merge key << so that it is read back as a key", () => {
  const value = { data: { "<<": { a: 1 }, a: "<<" } };
  expect(formatYaml(value)).toBe('data:\n  "<<":\n    a: 1\n  a: "<<"\n');
  expect(parseYaml(formatYaml(value))).toEqual(value);
});

// As sigs.k8s.io/yaml 1.6.0 writes them.
it.each([
  [1e-7, "1e-07"],
  [0.00001, "1e-05"],
  [0.0001, "0.0001"],
  [-0.5, "-0.5"],
  [123456.5, "123456.5"],
  [1234567.5, "1.2345675e+06"],
  [1234567, "1234567"],
  [-9007199254740991, "-9007199254740991"],
  [10_000_000_000_000_000_000, "10000000000000000000"],
  [1e20, "1e+20"],
  [1e21, "1e+21"],
  [1.5e300, "1.5e+300"],
])("formatYaml writes the number %d as %s, like Go", (value, text) => {
  expect(formatYaml(value)).toBe(`${text}\n`);
  expect(parseYaml(text)).toBe(value);
});
