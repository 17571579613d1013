import { describe, expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createInformerFactory } from "../../../src/cache/informer/informer-factory.js";
import { createShard } from "../../../src/cache/informer/shard.js";
import { ClosedError } from "../../../src/errors/errors.js";
import { describeChange } from "../../support/informer-harness.js";
import { createScriptedSource } from "../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

describe("createInformerFactory", () => {
  const plain = { initialList: "list" as const, clock: createVirtualClock(), random: () => 0 };
  it("shares one informer between equal collections and closes it with its last user", async () => {
    const source = createScriptedSource();
    const factory = createInformerFactory(plain);
    const first = factory.informer(source);
    const second = factory.informer(source, {});
    const received: string[] = [];
    first.addHandler((change) => received.push(`1 ${describeChange(change)}`));
    await settle();
    source.lists[0]!.answer("10", ["a@1"]);
    await first.synced();
    await settle();
    second.addHandler((change) => received.push(`2 ${describeChange(change)}`));
    source.watches[0]!.send("+b@11");
    await settle();
    await first.close();
    await first.close();
    expect(first.status.type).toBe("closed");
    expect(() => first.addHandler(() => undefined)).toThrow(ClosedError);
    source.watches[0]!.send("-a@12");
    await settle();
    expect(received).toEqual(["1 +a@1", "2 +a@1", "1 +b@11", "2 +b@11", "2 -a@12"]);
    expect([source.watches[0]!.closed, factory.size]).toEqual([false, 1]);
    await second.close();
    expect([source.watches[0]!.closed, factory.size, source.requests.length]).toEqual([true, 0, 2]);
  });
  it("doesn't share between different selectors, projections or clients", async () => {
    const factory = createInformerFactory(plain);
    const source = createScriptedSource();
    const owner = {};
    const collection = (cacheKey: string, cacheScope: object = owner) =>
      Object.assign(createScriptedSource(), { cacheScope, cacheKey });
    for (const [from, options] of [
      [source, {}],
      [source, { labelSelector: "a=b" }],
      [source, { labelSelector: "a=c" }],
      [source, { fieldSelector: "a=b" }],
      [source, { shard: createShard({ index: 0, count: 2 }) }],
      [source, { projection: "names", transform: (object: object) => object }],
      [createScriptedSource(), {}],
      [collection("x"), {}],
      [collection("x"), {}],
      [collection("y"), {}],
      [collection("x", {}), {}],
    ] as const)
      factory.informer(from as never, options as never);
    expect(factory.size).toBe(10);
    expect(() => factory.informer(source, { transform: (object) => object })).toThrow(TypeError);
    await factory.close();
    expect(() => factory.informer(source)).toThrow(ClosedError);
  });
  it("keeps an index until its last user closes", async () => {
    const factory = createInformerFactory(plain);
    const source = createScriptedSource();
    const [a, b, c] = [() => ["a"], () => ["b"], () => ["c"]];
    const first = factory.informer(source, { indexes: { a } });
    const second = factory.informer(source, { indexes: { a, b } });
    expect(() => factory.informer(source, { indexes: { c, b: () => [] } })).toThrow(
      'index "b" already exists with a different function',
    );
    expect(() => first.store.indexValues("c")).toThrow('unknown index "c"; available: a, b');
    await first.close();
    expect([second.store.indexValues("a"), second.store.indexValues("b")]).toEqual([[], []]);
    const third = factory.informer(source, { indexes: { c } });
    await second.close();
    expect(() => third.store.indexValues("a")).toThrow('unknown index "a"; available: c');
    await factory.close();
  });
  it("closes with its last user even if a status handler throws", async () => {
    const source = createScriptedSource();
    const errors: unknown[] = [];
    const factory = createInformerFactory({ ...plain, onError: (error) => errors.push(error) });
    const part = factory.informer(source);
    const received: string[] = [];
    part.onStatus(({ type }) => {
      if (type === "closed") throw new Error("bad");
    });
    part.onStatus(({ type }) => received.push(type));
    part.start();
    await settle();
    await part.close();
    expect([factory.size, errors, received.at(-1), source.lists[0]!.closed]).toEqual([
      0,
      [new Error("bad")],
      "closed",
      true,
    ]);
  });
  it("rejects the waits of a user that closes, and no others", async () => {
    const source = createScriptedSource();
    const factory = createInformerFactory(plain);
    const [first, second] = [factory.informer(source), factory.informer(source)];
    const waiting = expect(first.synced()).rejects.toBeInstanceOf(ClosedError);
    const other = second.synced();
    await first.close();
    await waiting;
    await settle();
    source.lists.at(-1)!.answer("10", []);
    await other;
    await factory.close();
  });
});

describe("a user of a shared informer", () => {
  it("that waits repeatedly holds the informer once", async () => {
    const source = createScriptedSource();
    const factory = createInformerFactory({ initialList: "list", clock: createVirtualClock(), random: () => 0 });
    const informer = factory.informer(source);
    for (let i = 0; i < 5; i++)
      await expect(informer.synced({ signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    informer.start();
    expect(informer.metrics.handlers).toBe(1);
    await factory.close();
  });
});

it("createInformer needs only a collection", async () => {
  const source = createScriptedSource();
  const informer = createInformer(source);
  await informer.close();
  expect(source.requests).toEqual([]);
});
