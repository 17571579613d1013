import { describe, expect, it, test } from "vitest";
import { MvccStore } from "../../../../src/apiserver/storage/mvcc.js";
import { prefixEnd } from "../../../../src/apiserver/storage/sorted-map.js";
import { randomFrom } from "../../../support/random-writes.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

describe("Bucket counts the keys of a range", () => {
  it.each([
    ["with all changes in the window", undefined],
    ["with changes that left the window", 50],
  ])("at every revision, %s", (_, windowEvents) => {
    const store = new MvccStore(createVirtualClock(), { windowEvents });
    const bucket = store.bucket("pods");
    const random = randomFrom(7);
    const check = (): void => {
      expect(bucket.live).toBe(bucket.versions("", undefined, store.revision).length);
      for (let revision = store.compactedRevision + 1; revision <= store.revision; revision += 3)
        for (const prefix of ["", "a/", "c/"])
          expect(bucket.count(prefix, prefixEnd(prefix), revision)).toBe(
            bucket.versions(prefix, prefixEnd(prefix), revision).length,
          );
    };
    for (let i = 0; i < 300; i++) {
      const key = `${"abc"[Math.floor(random() * 3)]!}/${String(Math.floor(random() * 12))}`;
      const gone = bucket.get(key) !== undefined && random() < 0.4;
      store.commit(bucket, key, () => (gone ? undefined : "{}"));
      if (i % 60 === 0) check();
    }
    store.compact(store.revision - 40);
    check();
    const { revision } = store;
    store.restore(store.snapshot());
    expect(store.revision).toBeGreaterThan(revision);
    check();
  });
});

test.each([
  ["a few changes", 10],
  ["thousands of changes", 5_000],
])(
  "a watch can resume over an old change of one resource after %s of another that keeps its last two",
  (_, changes) => {
    const store = new MvccStore(createVirtualClock(), { windowEvents: 2, windowSize: 100 });
    const [quiet, busy] = [store.bucket("namespaces"), store.bucket("leases")];
    const { revision } = store;
    const size20 = "x".repeat(20);
    store.commit(quiet, "a", () => size20);
    for (let change = 0; change < changes; change++) store.commit(busy, "a", () => size20);
    expect(quiet.since(revision)).toHaveLength(1);
    expect(busy.since(store.revision - 2)).toHaveLength(2);
    expect(busy.since(store.revision - 3)).toBeUndefined();
    // The changes of all resources together are limited, too: the oldest leaves first.
    store.commit(quiet, "b", () => "x".repeat(50));
    expect(quiet.since(revision)).toBeUndefined();
    expect(quiet.since(revision + 1)).toHaveLength(1);
    expect(busy.since(store.revision - 3)).toHaveLength(2);
  },
);

test("the changes of a resource that isn't served any more leave room for those of others", () => {
  const store = new MvccStore(createVirtualClock(), { windowSize: 100 });
  const kept = store.bucket("namespaces");
  const { revision } = store;
  store.commit(kept, "a", () => "x".repeat(40));
  store.commit(store.bucket("widgets"), "a", () => "x".repeat(50));
  store.dropBucket("widgets");
  store.commit(kept, "b", () => "x".repeat(40));
  expect(kept.since(revision)).toHaveLength(2);
});

test("a version without its text prints it with the first read, and keeps its size in the history and a snapshot", () => {
  const store = new MvccStore(createVirtualClock(), { historySize: 100 });
  const bucket = store.bucket("pods");
  let prints = 0;
  const content = { size: 80, print: () => `{"print":${String((prints += 1))}}` };
  store.commit(bucket, "a", () => content);
  expect(bucket.liveChars).toBe(80);
  expect(bucket.get("a")!.exists).toBe(true);
  store.commit(bucket, "a", () => content);
  store.restore(store.snapshot());
  expect(bucket.liveChars).toBe(80);
  expect(prints).toBe(0);
  expect([bucket.get("a")!.json, bucket.get("a")!.json]).toEqual(['{"print":1}', '{"print":1}']);
  for (let write = 0; write < 4; write += 1) store.commit(bucket, "a", () => content);
  expect(store.compactedRevision).toBe(store.revision - 1);
});
