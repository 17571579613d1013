import { afterEach, describe, expect, it } from "vitest";
import { mergeInformers } from "../../../src/cache/combine/merge-informers.js";
import { readYourWrites } from "../../../src/cache/combine/read-your-writes.js";
import { hasCondition, isDeleted, waitFor, waitForStore } from "../../../src/cache/informer/wait-for.js";
import { ownIndexPrefix } from "../../../src/cache/store/store-indexes.js";
import { ClosedError, TransportError } from "../../../src/errors/errors.js";
import type { Harness } from "../../support/informer-harness.js";
import { createHarness } from "../../support/informer-harness.js";
import type { Thing } from "../../support/scripted-source.js";
import { createScriptedSource, failure, thing } from "../../support/scripted-source.js";
import { settle } from "../../support/virtual-clock.js";

let harness: Harness;
afterEach(async () => {
  await harness.informer.close();
  expect(harness.clock.pending).toBe(0);
});

describe("store queries", () => {
  it("answer equality from an index and filter the rest", async () => {
    const table: Record<string, [string, Record<string, string>, string]> = {
      a: ["x", { app: "web", tier: "1" }, "Running"],
      b: ["x", { app: "web" }, "Pending"],
      c: ["y", { app: "db" }, "Running"],
      d: ["y", {}, "Running"],
    };
    harness = createHarness({
      transform(object) {
        const [, labels, phase] = table[object.metadata!.name!]!;
        return {
          ...object,
          metadata: { ...object.metadata!, labels },
          status: { phase: object.metadata!.resourceVersion === "1" ? phase : "Failed" },
        } as Thing;
      },
    });
    const { informer } = harness;
    harness.listen();
    await harness.answer("10", ["x/a@1", "x/b@1", "y/c@1", "y/d@1"]);
    const names = (query: Parameters<typeof informer.store.list>[0]): string =>
      informer.store
        .list(query)
        .map(({ metadata }) => metadata!.name)
        .sort()
        .join("");
    const all: [Parameters<typeof informer.store.list>[0], string, string][] = [
      [{ labelSelector: "app=web" }, "ab", "ab"],
      [{ labelSelector: "app!=web" }, "cd", "d"],
      [{ namespace: "y", labelSelector: "app" }, "c", ""],
      [{ fieldSelector: "status.phase=Running" }, "acd", "d"],
      [{ fieldSelector: "status.phase!=Running" }, "b", "ab"],
      [{ namespace: "x", fieldSelector: "status.phase=Running" }, "a", ""],
      [{ labelSelector: "app in (web,db)", fieldSelector: "status.phase=Running" }, "ac", ""],
      [{ labelSelector: "!app" }, "d", "d"],
      [{}, "abcd", "abd"],
      [undefined, "abcd", "abd"],
    ];
    for (const [query, expected] of all) expect([query, names(query)]).toEqual([query, expected]);
    await harness.send("~x/a@11", "-y/c@12");
    for (const [query, , expected] of all) expect([query, names(query)]).toEqual([query, expected]);
    for (let i = 0; i < 20; i++) expect(names({ labelSelector: `l${String(i)}=x` })).toBe("");
    expect(() => names({ labelSelector: "a b" })).toThrow(TypeError);
    // Queries create indexes of their own, up to a limit.
    const made = Array.from({ length: 20 }, (_, i) => `${ownIndexPrefix}label l${String(i)}`).filter((name) => {
      try {
        return informer.store.indexValues(name).length >= 0;
      } catch {
        return false;
      }
    });
    expect(made.length).toBe(5);
  });
  it("don't use user indexes of the same name", async () => {
    harness = createHarness();
    const { informer } = harness;
    harness.listen();
    await harness.answer("10", ["x/a@1", "y/b@1"]);
    const found = (): string =>
      informer.store
        .list({ namespace: "x" })
        .map(({ metadata }) => metadata!.name)
        .join();
    informer.store.addIndex("namespace", () => ["other"]);
    expect(found()).toBe("a");
    informer.store.addIndex("field metadata.name", () => ["other"]);
    expect(informer.store.list({ fieldSelector: "metadata.name=b" })).toHaveLength(1);
    expect(informer.store.byIndex("namespace", "other")).toHaveLength(2);
    informer.store.removeIndex("namespace");
    expect(found()).toBe("a");
    expect(() => informer.store.byIndex("missing", "")).toThrow(
      'unknown index "missing"; available: field metadata.name',
    );
  });
});

describe("waitFor", () => {
  it("watches one object until the condition is met, then closes", async () => {
    harness = createHarness();
    const source = createScriptedSource();
    const met = waitFor(source, "a", (object) => object?.metadata?.resourceVersion === "12", {
      initialList: "list",
      clock: harness.clock,
    });
    await settle();
    expect(source.lists[0]!.options.fieldSelector).toBe("metadata.name=a");
    source.lists[0]!.answer("10", []);
    await settle();
    source.watches[0]!.send("+a@11", "~b@12", "~a@12", "~a@13");
    expect((await met)?.metadata?.resourceVersion).toBe("12");
    expect(source.watches[0]!.closed).toBe(true);
  });
  it("selects exactly the object, even if its name contains special characters", async () => {
    harness = createHarness();
    const source = createScriptedSource();
    const controller = new AbortController();
    const waiting = waitFor(source, "a,b=c\\d", () => true, {
      initialList: "list",
      clock: harness.clock,
      signal: controller.signal,
    }).catch((error: unknown) => error);
    await settle();
    expect(source.lists[0]!.options.fieldSelector).toBe("metadata.name=a\\,b\\=c\\\\d");
    controller.abort("enough");
    expect(await waiting).toBe("enough");
  });
  it("rejects with the condition's error, a refusal, a timeout and the signal's reason", async () => {
    harness = createHarness();
    const begin = (
      condition: () => boolean,
      options: object = {},
    ): [Promise<unknown>, ReturnType<typeof createScriptedSource>] => {
      const source = createScriptedSource();
      const promise = waitFor(source, "a", condition, {
        initialList: "list",
        clock: harness.clock,
        random: () => 0,
        ...options,
      });
      promise.catch(() => undefined);
      return [promise, source];
    };
    const [thrown, first] = begin(() => {
      throw new TypeError("from the condition");
    });
    const [refused, second] = begin(() => false);
    const [late, third] = begin(() => false, { timeoutMs: 5_000 });
    const controller = new AbortController();
    const [aborted] = begin(() => false, { signal: controller.signal });
    await settle();
    first.lists[0]!.answer("10", []);
    second.lists[0]!.fail(failure(403, "Forbidden"));
    third.lists[0]!.answer("10", []);
    await expect(thrown).rejects.toThrow("from the condition");
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    await harness.clock.advance(1_000);
    second.lists[1]!.fail(failure(403, "Forbidden"));
    await expect(refused).rejects.toMatchObject({ code: 403 });
    await harness.clock.advance(5_000);
    await expect(late).rejects.toThrow("timed out after 5000 ms");
    await expect(waitFor(third, "", () => true)).rejects.toBeInstanceOf(TypeError);
  });
  it("hasCondition and isDeleted recognize the state of an object", async () => {
    const ready = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    expect([
      hasCondition("Ready")(ready),
      hasCondition("Ready", "False")(ready),
      hasCondition("Other")(ready),
      hasCondition("Ready")(undefined),
    ]).toEqual([true, false, false, false]);
    expect([
      isDeleted()(undefined),
      isDeleted()({}),
      isDeleted("u")({ metadata: { uid: "v" } }),
      isDeleted("u")({ metadata: { uid: "u" } }),
    ]).toEqual([true, false, true, false]);
    harness = createHarness();
    const enough = waitForStore(harness.informer, ({ size }) => size === 2, { clock: harness.clock });
    await harness.answer("10", ["a@1"]);
    await harness.send("+b@11");
    await enough;
    expect(harness.informer.metrics.handlers).toBe(0);
  });
});

describe("waitForStore", () => {
  it("stops an informer that it started when the wait is aborted before the sync", async () => {
    harness = createHarness();
    const { informer, clock, source } = harness;
    const late = waitForStore(informer, () => true, { timeoutMs: 1_000, clock });
    const controller = new AbortController();
    const left = waitForStore(informer, () => true, { signal: controller.signal, clock });
    const outcomes = Promise.allSettled([late, left]);
    await settle();
    controller.abort("enough");
    await clock.advance(1_000);
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await settle();
    expect([informer.status.type, source.lists.map(({ closed }) => closed)]).toEqual(["idle", [true]]);
  });
  it("leaves no timer behind when the informer is closed already", async () => {
    harness = createHarness();
    const { informer, clock } = harness;
    await informer.close();
    await expect(waitForStore(informer, () => true, { timeoutMs: 1_000, clock })).rejects.toThrow(ClosedError);
    expect(clock.pending).toBe(0);
  });
});

describe("readYourWrites", () => {
  const start = async (): Promise<ReturnType<typeof readYourWrites<Thing>>> => {
    harness = createHarness();
    harness.listen();
    await harness.answer("10", ["a@1", "b@2"]);
    return readYourWrites({ get: async () => thing("a@30") }, harness.informer);
  };
  const outcome = (promise: Promise<unknown>): { done: boolean; value?: unknown } => {
    const state: { done: boolean; value?: unknown } = { done: false };
    promise.then(
      (value) => Object.assign(state, { done: true, value }),
      (value: unknown) => Object.assign(state, { done: true, value }),
    );
    return state;
  };
  it("waits for the version of the write in an event or a bookmark", async () => {
    const view = await start();
    await view.write("a", async () => thing("a@20"));
    const [own, other, all] = [outcome(view.get("a")), outcome(view.get("b")), outcome(view.list())];
    await settle();
    expect([own.done, other.done, all.done]).toEqual([false, true, false]);
    await harness.send("=19");
    expect(own.done).toBe(false);
    await harness.send("=20");
    expect([own.done, all.done]).toEqual([true, true]);
    const again = outcome(view.get("a"));
    await settle();
    expect(again.done).toBe(true);
  });
  it("on a merged informer waits only until the object itself shows the write", async () => {
    const [x, y] = [createHarness(), createHarness()];
    const merged = mergeInformers([x.informer, y.informer]);
    merged.addHandler(() => undefined);
    await x.answer("10", ["x/a@1"]);
    await y.answer("10", ["y/a@1"]);
    const view = readYourWrites({ namespaceName: "x", get: async () => thing("x/a@30") }, merged);
    await view.write("a", async () => thing("x/a@20"));
    const [one, all] = [outcome(view.get("a")), outcome(view.list())];
    await y.send("~y/a@15");
    expect([one.done, all.done]).toEqual([false, false]);
    await x.send("~x/a@20");
    expect([one.done, all.done]).toEqual([true, true]);
    await view.write("gone", async () => thing("x/gone@40"));
    const gone = outcome(view.get("gone"));
    await x.send("=40");
    expect(gone.done).toBe(false);
    await y.send("=41");
    expect(gone.done).toBe(true);
    await merged.close();
  });
  it("waits for writes in progress when the read begins, not for later ones", async () => {
    const view = await start();
    let finish!: (object: Thing) => void;
    const writing = view.write("a", () => new Promise<Thing>((resolve) => (finish = resolve)));
    const before = outcome(view.get("a"));
    const later = view.write("a", () => new Promise<Thing>(() => undefined));
    void later;
    await settle();
    expect(before.done).toBe(false);
    finish(thing("a@10"));
    await writing;
    await settle();
    expect(before.done).toBe(true);
  });
  it("forgets writes that are already visible, even without reads", async () => {
    await start();
    let looks = 0;
    const { informer } = harness;
    const store = new Proxy(informer.store, {
      get: (target, key) => {
        if (key === "get") looks += 1;
        const value = Reflect.get(target, key, target) as unknown;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    const view = readYourWrites(
      { get: async () => thing("a@30") },
      new Proxy(informer, {
        get: (target, key) => {
          if (key === "store") return store;
          const value = Reflect.get(target, key, target) as unknown;
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      }),
    );
    for (let i = 0; i < 200; i += 1) await view.write(`n${String(i)}`, async () => thing(`n${String(i)}@10`));
    looks = 0;
    await view.list();
    // A list reads the store once for each write that is still remembered.
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(10);
  });
  it("waits until a deleted object's uid is gone", async () => {
    const view = await start();
    await view.write("a", async () => ({ kind: "Status", status: "Success", details: { name: "a", uid: "uid-a" } }));
    const gone = outcome(view.get("a"));
    await harness.send("=50");
    expect(gone.done).toBe(false);
    await harness.send("-a@51");
    expect(gone).toEqual({ done: true, value: undefined });
  });
  it("reads the object from the server if the response to a write was lost", async () => {
    const view = await start();
    await expect(
      view.write("a", async () => {
        throw new TransportError("reset");
      }),
    ).rejects.toThrow("reset");
    const read = outcome(view.get("a"));
    await harness.send("~a@29");
    expect(read.done).toBe(false);
    await harness.send("~a@30");
    expect(read.done).toBe(true);
  });
  it("times out", async () => {
    const view = await start();
    await view.write("a", async () => thing("a@20"));
    const read = outcome(view.get("a", { timeoutMs: 100 }));
    await settle();
    await harness.clock.advance(100);
    expect(String(read.value)).toContain("timed out after 100 ms");
  });
  it("remembers nothing about failed writes", async () => {
    const view = await start();
    await expect(
      view.write("a", async () => {
        throw failure(409, "Conflict");
      }),
    ).rejects.toMatchObject({ code: 409 });
    const read = outcome(view.get("a"));
    await settle();
    expect(read.done).toBe(true);
  });
});
