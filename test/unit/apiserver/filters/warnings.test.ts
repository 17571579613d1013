// How many warnings a real kube-apiserver 1.36 tells, and how it writes them into headers.
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

describe("warnings", () => {
  it.each<[what: string, texts: readonly string[], wanted: readonly string[]]>([
    ["quotes and backslashes", ['a "b" \\c'], ['299 - "a \\"b\\" \\\\c"']],
    ["bytes beyond ASCII, each as a character", ["é\u2028"], ['299 - "\u00c3\u00a9\u00e2\u0080\u00a8"']],
    ["none with control characters", ["a\u0001b", "c\u0085", "d"], ['299 - "d"']],
    [
      "as much as fits",
      [long, long, long, long, "y".repeat(96)],
      [...Array.from({ length: 4 }, () => `299 - "${long}"`), `299 - "${"y".repeat(96)}"`],
    ],
    [
      "all cut short once it is too much",
      [long, long, long, long, long, "z"],
      [...Array.from({ length: 5 }, () => short), '299 - "z"'],
    ],
    [
      "no more than enough of what is cut short",
      Array.from({ length: 40 }, () => long),
      Array.from({ length: 16 }, () => short),
    ],
  ])("are %s", async (_, texts, wanted) => {
    expect(await told(texts)).toEqual(wanted);
  });
});
