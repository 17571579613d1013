import { expect, it } from "vitest";
import { Watcher } from "../../../../src/apiserver/storage/watcher.js";

const failure = new RangeError("cannot be written");
const fail = (): never => {
  throw failure;
};
const frame = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All that a watch hands on, and what it told. */
async function run(prepare: (watcher: Watcher) => void): Promise<{ read: string; told: unknown[]; ends: number }> {
  const told: unknown[] = [];
  let ends = 0;
  const watcher = new Watcher(
    1000,
    () => ends++,
    (error) => told.push(error),
  );
  prepare(watcher);
  let read = "";
  for (let result = await watcher.next(); result.done !== true; result = await watcher.next())
    read += new TextDecoder().decode(result.value);
  return { read, told, ends };
}

const versions = ["a", "b", "c"].map((key, index) => ({ revision: index + 1, key, json: "{}", storedAs: undefined }));

it.each([
  {
    name: "the first of the present",
    prepare: (watcher: Watcher) => watcher.begin({ change: () => undefined, initial: fail }, versions),
    read: "",
  },
  {
    name: "one in the middle of the present",
    prepare: (watcher: Watcher) => {
      watcher.begin(
        { change: () => undefined, initial: ({ key }) => (key === "c" ? fail() : frame(key)) },
        versions,
        () => frame("|"),
      );
      watcher.push(frame("d"));
    },
    read: "ab",
  },
  {
    name: "the mark after the present",
    prepare: (watcher: Watcher) => {
      watcher.begin({ change: () => undefined, initial: ({ key }) => frame(key) }, versions, fail);
      watcher.push(frame("d"));
    },
    read: "abc",
  },
  {
    name: "a change, with others and the present still to be read",
    prepare: (watcher: Watcher) => {
      watcher.begin({ change: () => undefined, initial: ({ key }) => frame(key) }, versions, () => frame("|"));
      watcher.push(frame("d"));
      watcher.attempt(fail);
      watcher.attempt(fail);
      watcher.push(frame("e"));
    },
    read: "abc|d",
  },
])("a watch that cannot write an event ends after those before it, and tells why: $name", async ({ prepare, read }) => {
  expect(await run(prepare)).toEqual({ read, told: [failure], ends: 1 });
});
