import { describe, expect, it } from "vitest";
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
