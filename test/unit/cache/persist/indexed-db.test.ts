import { IDBFactory } from "fake-indexeddb";
import { expect, it } from "vitest";
import { createIndexedDbStorage } from "../../../../src/cache/persist/indexed-db-storage.js";

it("an IndexedDB storage reads what it wrote, replaces and removes it", async () => {
  const storage = createIndexedDbStorage({ indexedDB: new IDBFactory() });
  expect(await storage.read("a")).toBe(undefined);
  await storage.write("a", new Uint8Array([1, 2]));
  await storage.write("a", new Uint8Array([3]));
  await storage.write("b", new Uint8Array([4]));
  expect([...(await storage.read("a"))!]).toEqual([3]);
  await storage.remove("a");
  expect([await storage.read("a"), [...(await storage.read("b"))!]]).toEqual([undefined, [4]]);
});

it("an IndexedDB storage rejects where IndexedDB is missing", async () => {
  await expect(createIndexedDbStorage().read("a")).rejects.toThrow("IndexedDB is not available");
});
