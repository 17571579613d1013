import { expect, it } from "vitest";
import { Watcher } from "../../../../src/apiserver/storage/watcher.js";

it("a watch that cannot write an event ends, and tells why", async () => {
  const told: unknown[] = [];
  let ends = 0;
  const watcher = new Watcher(1000, () => ends++, (error) => told.push(error));
  const failure = new RangeError("cannot be written");
  watcher.begin({ change: () => undefined, initial: () => { throw failure; } }, [{ revision: 1, key: "a", json: "{}", storedAs: undefined }]);
  expect(await watcher.next()).toEqual({ done: true, value: undefined });
  expect([told, ends]).toEqual([[failure], 1]);
});
