import { expect, it } from "vitest";
import { parseYaml } from "../../../src/internal/yaml/yaml.js";
import { formatYaml } from "../../../src/internal/yaml/yaml-writer.js";
import { createRandom } from "../../simulation/random.js";
import { chooseSeed } from "../../support/seed.js";

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

const key = "k".repeat(129);
const words = "word ".repeat(16);

// As sigs.k8s.io/yaml 1.6.0 writes them.
it.each<[string, object, string]>([
  ["an emoji", { a: "x😀" }, 'a: "x\\U0001F600"\n'],
  ["tabs in lines", { a: "if\n\tthen\n" }, 'a: "if\\n\\tthen\\n"\n'],
  ["a tab before lines", { a: "\tb\nc" }, 'a: "\\tb\\nc"\n'],
  ["a next line character", { a: "b\u0085c" }, 'a: "b\\Nc"\n'],
  ["characters that no reader accepts", { a: "b\uffffc\ufffe\u007f\u009f" }, 'a: "b\\uFFFFc\\uFFFE\\x7F\\x9F"\n'],
  ["a space before a line end", { a: "b \nc" }, 'a: "b \\nc"\n'],
  ["only line ends", { a: "\n\n" }, "a: |2+\n\n\n"],
  ["a space that cannot be broken", { a: "\u00a0b" }, "a: \u00a0b\n"],
  ["a fraction with an underscore", { a: ".1_0" }, 'a: ".1_0"\n'],
  ["a long text in double quotes", { a: `${words}   word\t` }, `a: "${words.trimEnd()}\n  \\   word\\t"\n`],
  ["a key of 128 bytes", { [key.slice(1)]: "a" }, `${key.slice(1)}: a\n`],
  ["a longer key", { [key]: null }, `? ${key}\n: null\n`],
  ["a longer key in a list", { a: [{ [key]: { b: "c", d: ["e"] } }] }, `a:\n- ? ${key}\n  : b: c\n    d:\n    - e\n`],
  ["a key with lines", { "b\nc": { d: 1 } }, "? |-\n  b\n  c\n: d: 1\n"],
  ["a key with a carriage return", { "b\rc": ["d", "e"] }, '? "b\\rc"\n: - d\n  - e\n'],
])("formatYaml writes %s like Go, and it is read back", (_name, value, text) => {
  expect(formatYaml(value)).toBe(text);
  expect(parseYaml(text)).toEqual(value);
});

it("formatYaml writes texts of any characters so that they are read back", () => {
  const random = createRandom(chooseSeed(20_261_126));
  const pieces = [
    ..."a1 -?:#,[]{}&*!|>'\"%@`~=<.\\_\n\n\t\r\0\u0085\u00a0\u2028\u2029\ufeff\uffff😀",
    "<<",
    "---",
    "...",
    "yes",
    "0x1",
    "word ".repeat(20),
  ];
  const text = (): string => Array.from({ length: random.int(6) }, () => random.pick(pieces)).join("");
  for (let round = 0; round < 200; round++) {
    const value = { a: [text(), { [text()]: { [text()]: text() } }] };
    const written = formatYaml(value);
    expect(parseYaml(written), JSON.stringify(value)).toEqual(value);
    // Other readers end lines at these, or refuse them.
    expect(written).not.toMatch(/[^\n -~\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]/);
  }
});

it("formatYaml replaces half of a surrogate pair like UTF-8 does", () => {
  expect(formatYaml("a\ud800b")).toBe('"a\ufffdb"\n');
});
