import { expect, it } from "vitest";
import { parseYaml } from "../../../src/internal/yaml/yaml.js";
import { formatYaml } from "../../../src/internal/yaml/yaml-writer.js";

it("formatYaml quotes the merge key << so that it is read back as a key", () => {
  const value = { data: { "<<": { a: 1 }, a: "<<" } };
  expect(formatYaml(value)).toBe('data:\n  "<<":\n    a: 1\n  a: "<<"\n');
  expect(parseYaml(formatYaml(value))).toEqual(value);
});
