import { expect, it } from "vitest";
import { Watcher } from "../../../../src/apiserver/storage/watcher.js";

const failure = new RangeError("cannot be written");
const fail = (): never => {
  throw failure;
};
const frame = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Runs a watch and returns everything that it sends and reports. */
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

const versions = ["a", "b", "c"].map((key, index) => ({
  revision: index + 1,
  key,
  exists: true,
  json: "{}",
  storedAs: undefined,
}));

it.each([
  {
    name: "the first initial object",
    prepare: (watcher: Watcher) => watcher.begin({ change: () => undefined, initial: fail }, versions),
    read: "",
  },
  {
    name: "an initial object in the middle",
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
    name: "the bookmark after the initial objects",
    prepare: (watcher: Watcher) => {
      watcher.begin({ change: () => undefined, initial: ({ key }) => frame(key) }, versions, fail);
      watcher.push(frame("d"));
    },
    read: "abc",
  },
  {
    name: "a change behind unread events and initial objects",
    prepare: (watcher: Watcher) => {
      watcher.begin({ change: () => undefined, initial: ({ key }) => frame(key) }, versions, () => frame("|"));
      watcher.push(frame("d"));
      watcher.attempt(fail);
      watcher.attempt(fail);
      watcher.push(frame("e"));
    },
    read: "abc|d",
  },
])(
  "watch that can't encode an event ends after the events before it and reports why: $name",
  async ({ prepare, read }) => {
    expect(await run(prepare)).toEqual({ read, told: [failure], ends: 1 });
  },
);
