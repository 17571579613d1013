import { describe, expect, it } from "vitest";
import { stripManagedFields } from "../../../src/cache/informer/transform.js";
import { metadataOf } from "../../../src/cache/store/object-key.js";
import { harnesses } from "../../support/informer-harness.js";
import type { Thing } from "../../support/scripted-source.js";
import { failure } from "../../support/scripted-source.js";
import { settle } from "../../support/virtual-clock.js";

const begin = harnesses();

describe("a transform", () => {
  /** Returns a transform that records the versions it receives. */
  const spied = (): { given: string[]; transform: (object: Thing) => Thing } => {
    const given: string[] = [];
    return {
      given,
      transform: (object) => (
        given.push(`${object.metadata!.name!}@${object.metadata!.resourceVersion!}`), { ...object, value: "made" }
      ),
    };
  };
  it("runs once for each state that arrives, and not for repetitions from the store", async () => {
    const { given, transform } = spied();
    const { listen, answer, send, watch, clock, informer } = begin({ transform, resyncMs: 60_000 });
    listen();
    await answer("10", ["a@1", "b@2"]);
    await send("~a@11", "=12", "-b@13");
    await clock.advance(60_000);
    listen().remove();
    watch().end(failure(410, "Expired"));
    await answer("20", ["a@11", "c@15"]);
    expect(given).toEqual(["a@1", "b@2", "a@11", "b@13", "a@11", "c@15"]);
    expect(informer.store.list().map((object) => object.value)).toEqual(["made", "made"]);
  });
  it("also applies to the old and the final object of a change", async () => {
    const { transform } = spied();
    const { informer, answer, send } = begin({ transform });
    const values: unknown[] = [];
    informer.addHandler((change) =>
      values.push(change.object.value, change.type === "updated" ? change.old.value : undefined),
    );
    await answer("10", ["a@1"]);
    await send("~a@11", "-a@12");
    expect(values).toEqual(["made", undefined, "made", "made", "made", undefined]);
  });
  it("that fails for the final object leaves the last known one with finalStateUnknown", async () => {
    const { answer, send, news, listen } = begin({
      transform: (object) => {
        if (object.metadata!.resourceVersion === "12") throw new TypeError("bad");
        return object;
      },
    });
    listen();
    await answer("10", ["a@1"]);
    await send("-a@12");
    expect(news()).toEqual(["+a@1", "-a@1?"]);
  });
  it("stripManagedFields is idempotent", () => {
    const object: Thing = { metadata: { name: "a", managedFields: [{ manager: "m" }] } };
    expect(stripManagedFields(stripManagedFields(object))).toEqual({ metadata: { name: "a" } });
    expect(stripManagedFields({} as Thing)).toEqual({});
  });
});

describe("objects without a name", () => {
  it("are skipped and counted, and the other objects are kept", async () => {
    const { listen, source, store, informer, watch } = begin();
    listen();
    await settle();
    const nameless = { metadata: { resourceVersion: "5" } } as Thing;
    source.lists[0]!.answer("10", ["a@1", "b@2"]);
    await settle();
    watch().sendObjects(
      { type: "ADDED", object: nameless },
      { type: "DELETED", object: nameless },
      { type: "MODIFIED", object: {} as Thing },
    );
    watch().send("+c@12");
    await settle();
    expect([store(), informer.metrics.objectsDropped, informer.status.type]).toEqual(["a@1 b@2 c@12", 3, "watching"]);
  });
});

describe("stored objects", () => {
  it("are the same plain instances for all readers", async () => {
    const { informer, answer, listen } = begin();
    listen();
    await answer("10", ["x/a@1"]);
    const object = informer.store.get("x/a");
    expect(
      [informer.store.list()[0], informer.store.list({ namespace: "x" })[0], [...informer.store.values()][0]].every(
        (other) => other === object,
      ),
    ).toBe(true);
    expect(object).toEqual({ metadata: { namespace: "x", name: "a", uid: "uid-a", resourceVersion: "1" } });
  });
  it("are deeply frozen in development and writable otherwise", async () => {
    const deep = (object: Thing): Thing => ({ ...object, value: { list: [{ x: 1 }] } });
    for (const [freeze, expected] of [
      [undefined, true],
      [true, true],
      [false, false],
    ] as const) {
      const { informer, answer, listen } = begin({ transform: deep, ...(freeze !== undefined && { freeze }) });
      listen();
      await answer("10", ["a@1"]);
      const { list } = informer.store.get("a")!.value as { list: { x: number }[] };
      expect([
        Object.isFrozen(list),
        Object.isFrozen(list[0]),
        Object.isFrozen(metadataOf(informer.store.get("a"))),
      ]).toEqual([expected, expected, expected]);
      await informer.close();
    }
  });
  it("are returned by list() as a snapshot that doesn't change with the store", async () => {
    const { informer, answer, listen, send } = begin();
    listen();
    await answer("10", ["x/a@1", "x/b@1"]);
    const [all, some] = [informer.store.list(), informer.store.list({ namespace: "x" })];
    await send("-x/a@11", "+x/c@12");
    expect([all.length, some.length, informer.store.size]).toEqual([2, 2, 2]);
    expect(all.map(({ metadata }) => metadata!.name)).toEqual(["a", "b"]);
  });
  it("the store's resourceVersion advances with events and bookmarks, and goes back only with a list", async () => {
    const { informer, answer, listen, send, watch } = begin();
    listen();
    const versions: (string | undefined)[] = [informer.store.resourceVersion];
    const note = (): void => void versions.push(informer.store.resourceVersion);
    await answer("10", []);
    note();
    for (const step of ["+a@12", "+b@11", "=20", "=19", "-a@21", "+c@x7"]) {
      await send(step);
      note();
    }
    watch().end(failure(504, "Timeout", { cause: "ResourceVersionTooLarge" }));
    await answer("3", []);
    note();
    expect(versions).toEqual([undefined, "10", "12", "12", "20", "20", "21", "x7", "3"]);
  });
});
