import { describe, expect, it } from "vitest";
import { joinInformers } from "../../../src/cache/combine/join.js";
import { mergeInformers } from "../../../src/cache/combine/merge-informers.js";
import type { BufferOptions } from "../../../src/cache/informer/change-buffer.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createInformerFactory } from "../../../src/cache/informer/informer-factory.js";
import { createShard, fnv1a64 } from "../../../src/cache/informer/shard.js";
import { watchChanges } from "../../../src/cache/informer/watch-changes.js";
import { ClosedError } from "../../../src/errors/errors.js";
import type { Harness } from "../../support/informer-harness.js";
import { describeChange, harnesses } from "../../support/informer-harness.js";
import { createScriptedSource, failure } from "../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

const begin = harnesses();

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

describe("mergeInformers", () => {
  it("adds an index to every part or to none", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    y.informer.store.addIndex("i", () => ["y"]);
    expect(() => merged.store.addIndex("i", () => [])).toThrow(RangeError);
    expect(() => x.informer.store.byIndex("i", "")).toThrow(RangeError);
  });
  it("combines status, store, metrics and changes of the parts", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    const received: string[] = [];
    const statuses: string[] = [];
    merged.onStatus(({ type }) => statuses.push(type));
    const registration = merged.addHandler((change) => received.push(describeChange(change)));
    const synced = registration.synced();
    await x.answer("10", ["x/a@1"]);
    expect([merged.hasSynced, merged.status.type, merged.store.resourceVersion]).toEqual([false, "listing", undefined]);
    await y.answer("9", ["y/a@2", "y/b@3"]);
    await synced;
    await y.send("-y/b@12");
    expect(received).toEqual(["+x/a@1", "+y/a@2", "+y/b@3", "-y/b@12"]);
    expect([
      merged.store.size,
      merged.store.get("y/a")?.metadata?.resourceVersion,
      [...merged.store.keys()],
      merged.store.resourceVersion,
      merged.store.list({ namespace: "y" }).length,
    ]).toEqual([2, "2", ["x/a", "y/a"], "10", 1]);
    y.watch().end(failure(503, "ServiceUnavailable"));
    await settle();
    expect([
      merged.status.type,
      (merged.lastError as { code: number }).code,
      merged.metrics.lists,
      merged.metrics.size,
    ]).toEqual(["backingOff", 503, 2, 2]);
    expect(statuses).toContain("backingOff");
    await merged.close();
    expect(() => mergeInformers([])).toThrow(RangeError);
  });
});

describe("shards", () => {
  it.each([
    ["", 0xcbf29ce4, 0x84222325],
    ["a", 0xaf63dc4c, 0x8601ec8c],
    ["foobar", 0x85944171, 0xf73967e8],
    ["é", 0x082fb507, 0xb4e1bd65],
  ])("hash %j with FNV-1a", (text, high, low) => {
    let expected = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text))
      expected = BigInt.asUintN(64, (expected ^ BigInt(byte)) * 0x100000001b3n);
    const [h, l] = fnv1a64(text);
    expect((BigInt(h) << 32n) | BigInt(l)).toBe(expected);
    if (text !== "é") expect([h, l]).toEqual([high, low]);
  });
  it.each([1, 2, 3, 7])("distribute all objects among %d without overlap", (count) => {
    const shards = Array.from({ length: count }, (_, index) => createShard({ index, count }));
    const sizes = shards.map(() => 0);
    let seed = 1;
    const word = (): string =>
      (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0).toString(16).padStart(8, "0");
    for (let i = 0; i < 2_000; i++) {
      const uid = `${word()}-${word()}-${word()}-${word()}`;
      const owners = shards.flatMap(({ matches }, index) => (matches({ metadata: { uid } }) ? [index] : []));
      expect(owners).toHaveLength(1);
      sizes[owners[0]!]!++;
    }
    for (const size of sizes) expect(size).toBeGreaterThan(2_000 / count / 2);
  });
  it("send the server's shard selector syntax", () => {
    expect(createShard({ index: 1, count: 2, by: "namespace" }).shardSelector).toBe(
      "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')",
    );
    expect(createShard({ index: 0, count: 3 }).shardSelector).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x5555555555555555')",
    );
    for (const bad of [
      { index: 2, count: 2 },
      { index: -1, count: 2 },
      { index: 0, count: 0 },
      { index: 0.5, count: 2 },
    ])
      expect(() => createShard(bad)).toThrow(RangeError);
  });
  it("drop objects that the server doesn't filter out", async () => {
    const all = Array.from({ length: 40 }, (_, i) => `n${String(i)}@${String(i + 1)}`);
    const parts = [0, 1, 2].map((index) => begin({ shard: createShard({ index, count: 3 }) }));
    for (const part of parts) {
      part.listen();
      await part.answer("50", all);
      await part.send("+late@51", "~n0@52", "-n1@53");
      expect(part.source.lists[0]!.options.shardSelector).toMatch(/^shardRange/);
    }
    const keys = parts.flatMap(({ informer }) => [...informer.store.keys()]);
    expect(keys.sort()).toEqual(
      ["late", ...all.map((text) => text.split("@")[0]!)].filter((name) => name !== "n1").sort(),
    );
    expect(parts.every(({ informer }) => informer.store.size > 0)).toBe(true);
  });
});

describe("watchChanges", () => {
  const take = async (
    harness: Harness,
    options: BufferOptions,
    feed: () => Promise<void>,
  ): Promise<{ received: string[]; dropped: number; lag: number; error?: unknown }> => {
    const stream = watchChanges(harness.informer, options);
    await harness.answer("10", ["a@1"]);
    await feed();
    const { lag } = stream;
    const received: string[] = [];
    let error: unknown;
    try {
      for (let count = lag; count > 0 || lag === 0; count--) {
        const { value, done } = await stream.next();
        if (done === true) break;
        received.push(describeChange(value));
        if (count === 1) break;
      }
    } catch (thrown) {
      error = thrown;
    }
    const { dropped } = stream;
    await stream.return();
    return { received, dropped, lag, error };
  };
  const burst = (harness: Harness) => () =>
    harness.send("~a@11", "~a@12", "+b@13", "-b@14", "+c@15", "~c@16", "-a@17", "+a@18#new", "~a@19#new");
  it("unbounded keeps everything", async () => {
    const harness = begin();
    expect(await take(harness, {}, burst(harness))).toMatchObject({
      lag: 10,
      dropped: 0,
      received: ["+a@1", "~a@1>11", "~a@11>12", "+b@13", "-b@14", "+c@15", "~c@15>16", "-a@17", "+a@18", "~a@18>19"],
    });
  });
  it("conflate keeps the net change per object", async () => {
    const harness = begin();
    expect(await take(harness, { policy: "conflate" }, burst(harness))).toMatchObject({
      lag: 2,
      dropped: 8,
      received: ["+c@16", "+a@19"],
    });
  });
  it("conflate emits a deletion and an addition when a delivered object was replaced", async () => {
    const harness = begin();
    const stream = watchChanges(harness.informer, { policy: "conflate" });
    await harness.answer("10", ["a@1"]);
    expect(describeChange((await stream.next()).value)).toBe("+a@1");
    await harness.send("~a@11", "-a@12", "+a@13#new", "~a@14#new");
    expect([
      describeChange((await stream.next()).value),
      describeChange((await stream.next()).value),
      stream.lag,
    ]).toEqual(["-a@12", "+a@14", 0]);
    await stream.return();
  });
  it("dropOldest keeps the newest changes", async () => {
    const harness = begin();
    expect(await take(harness, { policy: "dropOldest", capacity: 2 }, burst(harness))).toMatchObject({
      lag: 2,
      dropped: 8,
      received: ["+a@18", "~a@18>19"],
    });
  });
  it("error fails when the buffer is full and unsubscribes", async () => {
    const harness = begin();
    const { error } = await take(harness, { policy: "error", capacity: 3 }, burst(harness));
    expect(String(error)).toContain("the change buffer is full: 3 changes");
    expect(harness.informer.metrics.handlers).toBe(0);
  });
  it("unsubscribes from the informer however it ends", async () => {
    const harness = begin();
    const { informer } = harness;
    const open = new Set<object>();
    const counted = Object.assign(Object.create(informer) as typeof informer, {
      onStatus(handler: Parameters<typeof informer.onStatus>[0]) {
        const registration = informer.onStatus(handler);
        open.add(registration);
        return { remove: () => (open.delete(registration), registration.remove()) };
      },
    });
    const controller = new AbortController();
    const [left, aborted, full] = [
      watchChanges(counted),
      watchChanges(counted, { signal: controller.signal }),
      watchChanges(counted, { policy: "error", capacity: 1 }),
    ];
    expect(open.size).toBe(3);
    await harness.answer("10", ["a@1", "b@1"]);
    await left.return();
    controller.abort("enough");
    await expect(aborted.next()).rejects.toBe("enough");
    await expect(full.next()).rejects.toThrow("the change buffer is full: 1 changes");
    expect([open.size, informer.metrics.handlers]).toEqual([0, 0]);
  });
  it("ends with the loop, the signal and the informer", async () => {
    const harness = begin();
    harness.informer.start();
    await harness.answer("10", ["a@1", "b@1"]);
    for await (const change of watchChanges(harness.informer)) {
      expect(change.key).toBe("a");
      break;
    }
    expect(harness.informer.metrics.handlers).toBe(0);
    const controller = new AbortController();
    const aborted = watchChanges(harness.informer, { signal: controller.signal, replay: false });
    const waiting = expect(aborted.next()).rejects.toBe("enough");
    controller.abort("enough");
    await waiting;
    await expect(watchChanges(harness.informer, { signal: controller.signal }).next()).rejects.toBe("enough");
    const last = watchChanges(harness.informer);
    await harness.informer.close();
    const rest: string[] = [];
    for await (const change of last) rest.push(change.key);
    expect(rest).toEqual(["a", "b"]);
    expect((await watchChanges(harness.informer).next()).done).toBe(true);
    expect(() => watchChanges(harness.informer, { capacity: 0 })).toThrow(RangeError);
  });
});

describe("joinInformers", () => {
  it("emits each left object with its matches, again after changes on either side", async () => {
    const [pods, nodes] = [begin(), begin()];
    const nodeOf = (object: unknown): string[] => [
      (object as { metadata: { name: string } }).metadata.name.split("-")[0]!,
    ];
    const received: string[] = [];
    const join = joinInformers(
      pods.informer,
      nodes.informer,
      { name: "node", left: nodeOf, right: (node) => [node.metadata!.name!] },
      ({ type, key, right }) =>
        received.push(
          `${type} ${key}: ${right.map(({ metadata }) => `${metadata!.name!}@${metadata!.resourceVersion!}`).join()}`,
        ),
    );
    await pods.answer("10", ["n1-a@1", "n2-b@1"]);
    expect(received).toEqual([]);
    await nodes.answer("10", ["n1@1"]);
    expect(received.splice(0)).toEqual(["added n1-a: n1@1", "added n2-b: "]);
    await nodes.send("+n2@11", "~n1@12", "-n1@13");
    await pods.send("+n2-c@14", "~n1-a@15", "-n2-b@16");
    expect(received.splice(0)).toEqual([
      "updated n2-b: n2@11",
      "updated n1-a: n1@12",
      "updated n1-a: ",
      "added n2-c: n2@11",
      "updated n1-a: ",
      "deleted n2-b: ",
    ]);
    join.remove();
    join.remove();
    await settle();
    expect([pods.watch().closed, nodes.watch().closed]).toEqual([true, true]);
  });
  it("removes its indexes and can start again with other functions", async () => {
    const [pods, nodes] = [begin(), begin()];
    const join = (): { remove(): void } =>
      joinInformers(
        pods.informer,
        nodes.informer,
        { name: "n", left: () => ["x"], right: () => ["x"] },
        () => undefined,
      );
    const first = join();
    expect(join).toThrow(RangeError);
    expect(() => pods.informer.store.byIndex("join n", "x")).not.toThrow();
    first.remove();
    expect(() => pods.informer.store.byIndex("join n", "x")).toThrow(RangeError);
    nodes.informer.store.addIndex("join n", () => []);
    expect(join).toThrow(RangeError);
    expect(() => pods.informer.store.byIndex("join n", "x")).toThrow(RangeError);
    nodes.informer.store.removeIndex("join n");
    join().remove();
  });
  it("removed twice before it began keeps another join's indexes", async () => {
    const [pods, nodes] = [begin(), begin()];
    const all = (): string[] => ["x"];
    const received: string[] = [];
    const join = (): { remove(): void } =>
      joinInformers(pods.informer, nodes.informer, { name: "n", left: all, right: all }, ({ type, key }) =>
        received.push(`${type} ${key}`),
      );
    const [first] = [join(), join()];
    await settle();
    first.remove();
    await settle();
    first.remove();
    await pods.answer("10", ["a@1"]);
    await nodes.answer("10", []);
    expect(received).toEqual(["added a"]);
  });
  it("throws without side effects if one informer is closed", async () => {
    const [pods, nodes] = [begin(), begin()];
    await nodes.informer.close();
    expect(() =>
      joinInformers(pods.informer, nodes.informer, { name: "n", left: () => [], right: () => [] }, () => undefined),
    ).toThrow(ClosedError);
    expect([pods.informer.metrics.handlers, pods.informer.status.type]).toEqual([0, "idle"]);
    expect(() => pods.informer.store.byIndex("join n", "")).toThrow(RangeError);
  });
  it("continues if its handler throws", async () => {
    const [pods, nodes] = [begin(), begin()];
    const [received, errors]: [string[], unknown[]] = [[], []];
    const options = {
      name: "all",
      left: () => ["x"],
      right: () => ["x"],
      onError: (error: unknown) => errors.push(error),
    };
    joinInformers(pods.informer, nodes.informer, options, ({ type, key }) => {
      received.push(`${type} ${key}`);
      throw new Error(key);
    });
    await pods.answer("10", ["a@1", "b@1"]);
    await nodes.answer("10", []);
    expect(errors).toEqual([new Error("a"), new Error("b")]);
    await pods.send("~a@11");
    await nodes.send("+n@12");
    expect(received).toEqual(["added a", "added b", "updated a", "updated a"]);
    expect(pods.informer.metrics.handlerErrors + nodes.informer.metrics.handlerErrors).toBe(2);
  });
});

it("createInformer needs only a collection", async () => {
  const source = createScriptedSource();
  const informer = createInformer(source);
  await informer.close();
  expect(source.requests).toEqual([]);
});
