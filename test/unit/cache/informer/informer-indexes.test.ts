import { describe, expect, it } from "vitest";
import { createStore } from "../../../../src/cache/store/store.js";
import { harnesses } from "../../../support/informer-harness.js";
import type { Thing } from "../../../support/scripted-source.js";
import { failure, thing } from "../../../support/scripted-source.js";

const begin = harnesses();

describe("informer indexes", () => {
  it("follow every change and list, whenever they were added", async () => {
    const { informer, listen, answer, send, watch } = begin({
      indexes: { parity: ({ metadata }) => [Number(metadata!.resourceVersion) % 2 === 0 ? "even" : "odd"] },
    });
    listen();
    await answer("10", ["x/a@1", "x/b@2", "y/c@3"]);
    const { store } = informer;
    const names = (objects: readonly { metadata?: { name?: string } | undefined }[]): string =>
      objects
        .map(({ metadata }) => metadata?.name)
        .sort()
        .join();
    expect([
      names(store.byIndex("parity", "odd")),
      names(store.byIndex("parity", "even")),
      names(store.list({ namespace: "x" })),
    ]).toEqual(["a,c", "b", "a,b"]);
    await send("~x/a@12", "-x/b@13", "+y/d@15");
    const byName = ({ metadata }: { metadata?: { name?: string | undefined } | undefined }): string[] => [
      metadata!.name!,
    ];
    store.addIndex("name", byName as never);
    store.addIndex("name", byName as never);
    expect([
      names(store.byIndex("parity", "odd")),
      names(store.byIndex("parity", "even")),
      names(store.list({ namespace: "x" })),
      names(store.byIndex("name", "d")),
    ]).toEqual(["c,d", "a", "a", "d"]);
    watch().end(failure(410, "Gone"));
    await answer("20", ["x/a@12", "z/e@17"]);
    expect([
      store.indexValues("parity").sort(),
      names(store.list({ namespace: "y" })),
      names(store.list({ namespace: "z" })),
      store.indexValues("name").sort(),
    ]).toEqual([["even", "odd"], "", "e", ["a", "e"]]);
    expect(() => store.byIndex("nope", "x")).toThrow(RangeError);
    expect(() => store.addIndex("parity", () => [])).toThrow(RangeError);
  });
  it("hold an object under each of its values, or under none", async () => {
    const values: Record<string, string[]> = { a: ["x", "y"], b: ["y"], c: [] };
    const { informer, listen, answer, send } = begin({
      indexes: { i: ({ metadata }) => (metadata!.resourceVersion === "12" ? ["z", "x"] : values[metadata!.name!]!) },
    });
    listen();
    await answer("10", ["a@1", "b@1", "c@1"]);
    const shown = (): string =>
      informer.store
        .indexValues("i")
        .sort()
        .map(
          (value) =>
            `${value}:${informer.store
              .byIndex("i", value)
              .map(({ metadata }) => metadata!.name)
              .sort()
              .join("")}`,
        )
        .join(" ");
    expect(shown()).toBe("x:a y:ab");
    await send("~a@12", "-b@13");
    expect(shown()).toBe("x:a z:a");
  });
  it("are removed with the last user that added them", async () => {
    const { informer, listen, answer } = begin();
    listen();
    await answer("10", ["a@1"]);
    const { store } = informer;
    const of = (): string[] => ["x"];
    for (const name of ["i", "i"]) store.addIndex(name, of);
    store.removeIndex("i");
    store.removeIndex("nope");
    expect(store.byIndex("i", "x")).toHaveLength(1);
    store.removeIndex("i");
    expect(() => store.byIndex("i", "x")).toThrow(RangeError);
    store.addIndex("i", () => ["other"]);
    expect(store.byIndex("i", "other")).toHaveLength(1);
  });
  it("can be added and removed while a list is processed", async () => {
    const store = createStore<Thing>(() => undefined);
    const of = (): string[] => ["x"];
    for (const name of ["kept", "gone", "other"]) store.addIndex(name, of);
    const prepared = await store.prepareReplace(
      new Map([
        ["a", thing("a@1")],
        ["b", thing("b@1")],
      ]),
      "list",
      () => undefined,
    );
    store.removeIndex("gone");
    store.removeIndex("other");
    store.addIndex("other", () => ["y"]);
    store.addIndex("new", of);
    prepared.commit();
    expect([
      store.byIndex("kept", "x").length,
      store.indexValues("other"),
      store.byIndex("other", "y").length,
      store.byIndex("new", "x").length,
    ]).toEqual([2, ["y"], 2, 2]);
    expect(() => store.byIndex("gone", "x")).toThrow(RangeError);
    store.put("c", thing("c@2"), "live");
    expect([store.byIndex("kept", "x").length, store.byIndex("other", "y").length]).toEqual([3, 3]);
  });
  it("whose function throws skip only that object", async () => {
    const { informer, listen, answer } = begin({
      indexes: {
        bad: () => {
          throw new TypeError("bad index");
        },
      },
    });
    listen();
    await answer("10", ["a@1"]);
    expect([informer.store.size, informer.store.byIndex("bad", "x")]).toEqual([1, []]);
    expect(informer.metrics.handlerErrors).toBeGreaterThan(0);
  });
});
