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
