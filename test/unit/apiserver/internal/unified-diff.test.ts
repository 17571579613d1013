import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../../src/apiserver/internal/unified-diff.js";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));
const words = (text: string): string[] => (text === "" ? [] : text.split(" "));

describe("unifiedDiff", () => {
  // As difflib of Python 3 tells them.
  it.each([
    ["a b c", "a b c", ""],
    ["", "", ""],
    ["", "a", "@@ -0,0 +1 @@\n+a\n"],
    ["a", "", "@@ -1 +0,0 @@\n-a\n"],
    ["a b c", "a x c", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"],
    ["a b", "a c a b", "@@ -1,2 +1,4 @@\n+a\n+c\n a\n b\n"],
    ["1 2 3 4 5 6 7 8 9", "1 2 3 4 x 6 7 8 9", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"],
    ["x 2 3 4 5 6 7 y", "a 2 3 4 5 6 7 b", "@@ -1,8 +1,8 @@\n-x\n+a\n 2\n 3\n 4\n 5\n 6\n 7\n-y\n+b\n"],
    [
      "x 2 3 4 5 6 7 8 y",
      "a 2 3 4 5 6 7 8 b",
      "@@ -1,4 +1,4 @@\n-x\n+a\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-y\n+b\n",
    ],
  ])("of %j and %j", (a, b, text) => {
    expect(unifiedDiff(words(a), words(b))).toBe(text);
  });

  it("lets lines that come often begin no block in a long text", () => {
    const common = Array.from({ length: 10 }, () => "same");
    // Were "same" a beginning, its ten lines would be the longest block.
    const a = [...common, "one", "two", ...numbers(250)];
    const b = ["one", "two", ...common, ...numbers(250).map((line) => `${line}!`)];
    expect(unifiedDiff(a, b, 0)).toContain(`@@ -1,10 +0,0 @@\n${"-same\n".repeat(10)}`);
  });
});
