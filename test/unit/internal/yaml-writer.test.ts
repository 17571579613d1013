import { expect, it } from "vitest";
import { parseYaml } from "../../../src/internal/yaml.js";
import { formatYaml } from "../../../src/internal/yaml-writer.js";

it("the key `<<`, which merges mappings where it is not quoted, is quoted and read back as a key", () => {
  const value = { data: { "<<": { a: 1 }, a: "<<" } };
  expect(formatYaml(value)).toBe('data:\n  "<<":\n    a: 1\n  a: "<<"\n');
  expect(parseYaml(formatYaml(value))).toEqual(value);
});
