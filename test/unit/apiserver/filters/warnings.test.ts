// Number and encoding of Warning headers in kube-apiserver 1.36.
import { describe, expect, it } from "vitest";
import { warnings } from "../../../../src/apiserver/filters/warnings.js";
import type { WireContext } from "../../../../src/apiserver/wire/services.js";

async function told(texts: readonly string[]): Promise<string[]> {
  const response = { status: 200, headers: [] as [string, string][] };
  await warnings({ warnings: texts } as unknown as WireContext, async () => response as never);
  return response.headers.map(([, value]) => value);
}

const long = "x".repeat(1000);
const short = `299 - "${"x".repeat(256)}"`;

describe("Warning headers", () => {
  it.each<[what: string, texts: readonly string[], wanted: readonly string[]]>([
    ["escape quotes and backslashes", ['a "b" \\c'], ['299 - "a \\"b\\" \\\\c"']],
    ["encode non-ASCII characters byte by byte", ["é\u2028"], ['299 - "\u00c3\u00a9\u00e2\u0080\u00a8"']],
    ["omit texts with control characters", ["a\u0001b", "c\u0085", "d"], ['299 - "d"']],
    [
      "keep as much as fits",
      [long, long, long, long, "y".repeat(96)],
      [...Array.from({ length: 4 }, () => `299 - "${long}"`), `299 - "${"y".repeat(96)}"`],
    ],
    [
      "are all truncated once they are too long in total",
      [long, long, long, long, long, "z"],
      [...Array.from({ length: 5 }, () => short), '299 - "z"'],
    ],
    [
      "are limited in number when truncated",
      Array.from({ length: 40 }, () => long),
      Array.from({ length: 16 }, () => short),
    ],
  ])("%s", async (_, texts, wanted) => {
    expect(await told(texts)).toEqual(wanted);
  });
});
