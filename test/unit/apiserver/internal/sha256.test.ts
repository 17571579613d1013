import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../../src/apiserver/internal/sha256.js";

describe("sha256", () => {
  it.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000])("of %i bytes is the platform's", (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 167 + length) & 255);
    expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});
