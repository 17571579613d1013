import { describe, expect, it } from "vitest";
import { createShard, fnv1a64 } from "../../../src/cache/informer/shard.js";
import { harnesses } from "../../support/informer-harness.js";

const begin = harnesses();

describe("shards", () => {
  it.each([
    ["", 0xcbf29ce4, 0x84222325],
    ["a", 0xaf63dc4c, 0x8601ec8c],
    ["foobar", 0x85944171, 0xf73967e8],
    ["é", 0x082fb507, 0xb4e1bd65],
  ])("hash %j with FNV-1a", (text, high, low) => {
    let expected = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text))
      expected = BigInt.asUintN(64, (expected ^ BigInt(byte)) * 0x100000001b3n);
    const [h, l] = fnv1a64(text);
    expect((BigInt(h) << 32n) | BigInt(l)).toBe(expected);
    if (text !== "é") expect([h, l]).toEqual([high, low]);
  });
  it.each([1, 2, 3, 7])("distribute all objects among %d without overlap", (count) => {
    const shards = Array.from({ length: count }, (_, index) => createShard({ index, count }));
    const sizes = shards.map(() => 0);
    let seed = 1;
    const word = (): string =>
      (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0).toString(16).padStart(8, "0");
    for (let i = 0; i < 2_000; i++) {
      const uid = `${word()}-${word()}-${word()}-${word()}`;
      const owners = shards.flatMap(({ matches }, index) => (matches({ metadata: { uid } }) ? [index] : []));
      expect(owners).toHaveLength(1);
      sizes[owners[0]!]!++;
    }
    for (const size of sizes) expect(size).toBeGreaterThan(2_000 / count / 2);
  });
  it("send the server's shard selector syntax", () => {
    expect(createShard({ index: 1, count: 2, by: "namespace" }).shardSelector).toBe(
      "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')",
    );
    expect(createShard({ index: 0, count: 3 }).shardSelector).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x5555555555555555')",
    );
    for (const bad of [
      { index: 2, count: 2 },
      { index: -1, count: 2 },
      { index: 0, count: 0 },
      { index: 0.5, count: 2 },
    ])
      expect(() => createShard(bad)).toThrow(RangeError);
  });
  it("drop objects that the server doesn't filter out", async () => {
    const all = Array.from({ length: 40 }, (_, i) => `n${String(i)}@${String(i + 1)}`);
    const parts = [0, 1, 2].map((index) => begin({ shard: createShard({ index, count: 3 }) }));
    for (const part of parts) {
      part.listen();
      await part.answer("50", all);
      await part.send("+late@51", "~n0@52", "-n1@53");
      expect(part.source.lists[0]!.options.shardSelector).toMatch(/^shardRange/);
    }
    const keys = parts.flatMap(({ informer }) => [...informer.store.keys()]);
    expect(keys.sort()).toEqual(
      ["late", ...all.map((text) => text.split("@")[0]!)].filter((name) => name !== "n1").sort(),
    );
    expect(parts.every(({ informer }) => informer.store.size > 0)).toBe(true);
  });
});
