import { expect, it, vi } from "vitest";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { selectStore, shallowEqual } from "../../../src/stores/external-store.js";
import { createLiveStores } from "../../../src/stores/live-stores.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";
import { openWorld, until } from "../controller/world.js";

const target = { namespace: "default", name: "a" };

async function openStores(options: Parameters<typeof createLiveStores>[1] = {}) {
  const world = openWorld();
  const stores = createLiveStores(world.client, { intervalMs: 0, lingerMs: 0, ...options });
  const maps = world.client.resource(ConfigMap).namespace("default");
  return {
    ...world,
    stores,
    maps,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

it("a collection store keeps its snapshot until an object changes, and unchanged objects keep their identity", async () => {
  await using world = await openStores();
  await world.maps.create({ metadata: { name: "b" } });
  await world.maps.create({ metadata: { name: "a" } });
  const store = world.stores.collection(ConfigMap, { namespace: "default" });
  expect(store.getSnapshot()).toEqual({ items: [], isSynced: false, status: { type: "idle" } });
  const notified = vi.fn();
  const unsubscribe = store.subscribe(notified);
  await store.ready();
  await until("watching", () => store.getSnapshot().status.type === "watching");
  const first = store.getSnapshot();
  expect([first.items.map(({ metadata }) => metadata?.name), first.isSynced]).toEqual([["a", "b"], true]);
  expect(store.getSnapshot()).toBe(first);
  const before = notified.mock.calls.length;
  await world.maps.patch("b", { type: "merge", patch: { data: { x: "1" } } });
  await until("changed", () => store.getSnapshot() !== first);
  const second = store.getSnapshot();
  expect(notified.mock.calls.length).toBe(before + 1);
  expect([second.items[0] === first.items[0], second.items[1] === first.items[1]]).toEqual([true, false]);
  unsubscribe();
});

it("equal queries share one store and one watch, which ends after the linger time without subscribers", async () => {
  const clock = createVirtualClock();
  await using world = await openStores({ lingerMs: 5_000, clock });
  const watches = async (): Promise<number> => {
    const text = await (await world.client.request({ path: "/metrics", accept: "text/plain" })).text();
    return Number(/^apiserver_longrunning_requests[{].*resource="configmaps".*[}] (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const first = world.stores.collection(ConfigMap, { namespace: "default" });
  const second = world.stores.collection(world.client.resource(ConfigMap).namespace("default"));
  const leave = [first.subscribe(() => undefined), first.subscribe(() => undefined), second.subscribe(() => undefined)];
  await clock.advance(0);
  await until("a watch", async () => (await watches()) === 1);
  for (const unsubscribe of leave) unsubscribe();
  await clock.advance(4_999);
  expect(await watches()).toBe(1);
  first.subscribe(() => undefined)();
  await clock.advance(4_999);
  expect([await watches(), first.getSnapshot().isSynced]).toEqual([1, true]);
  await clock.advance(1);
  await until("no watch", async () => (await watches()) === 0);
  expect(first.getSnapshot()).toEqual({ items: [], isSynced: false, status: { type: "idle" } });
});

it("selectStore notifies only when the selected part changes", async () => {
  await using world = await openStores();
  const store = world.stores.collection(ConfigMap, { namespace: "default" });
  const names = selectStore(store, ({ items }) => items.map(({ metadata }) => metadata?.name), shallowEqual);
  const notified = vi.fn();
  const unsubscribe = names.subscribe(notified);
  await store.ready();
  await world.maps.create({ metadata: { name: "a" } });
  await until("created", () => names.getSnapshot().length === 1);
  await world.maps.patch("a", { type: "merge", patch: { data: { x: "1" } } });
  await until("patched", () => store.getSnapshot().items[0]?.data?.["x"] === "1");
  expect([notified.mock.calls.length, names.getSnapshot()]).toEqual([1, ["a"]]);
  unsubscribe();
});

it("an optimistic change shows at once, and rolls back with the server's error", async () => {
  await using world = await openStores();
  await world.maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  const all = world.stores.collection(ConfigMap, { namespace: "default" });
  const one = world.stores.object(ConfigMap, target);
  const leave = [all.subscribe(() => undefined), one.subscribe(() => undefined)];
  await Promise.all([all.ready(), one.ready()]);
  const sizes = (): unknown[] => [all.getSnapshot().items[0]?.data?.["size"], one.getSnapshot().object?.data?.["size"]];
  expect(world.stores.object(ConfigMap, target)).toBe(one);
  world.server.faults.add({ match: { verb: "update" }, effect: { type: "status", code: 403 }, times: 1 });
  const seen: unknown[] = [];
  leave.push(all.subscribe(() => seen.push(sizes()[0])));
  const change = (map: ConfigMap): void => {
    map.data = { ...map.data, size: "2" };
  };
  await expect(world.stores.mutate(ConfigMap, target, { change })).rejects.toMatchObject({ code: 403 });
  await until("rolled back", () => sizes().every((size) => size === "1"));
  expect(seen).toContain("2");
  await world.stores.mutate(ConfigMap, target, { change });
  await until("changed", () => sizes().every((size) => size === "2"));
  expect((await world.maps.get("a")).data).toEqual({ size: "2" });
  for (const unsubscribe of leave) unsubscribe();
});

it("an optimistic change is applied again to a newer object, and its write retries after the conflict", async () => {
  await using world = await openStores();
  await world.maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  const one = world.stores.object(ConfigMap, target);
  const leave = one.subscribe(() => undefined);
  await one.ready();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const done = world.stores.mutate(ConfigMap, target, {
    change(map) {
      map.data = { ...map.data, mine: "yes" };
    },
    async write(resource, name) {
      const stale = await resource.get(name);
      await held;
      await expect(resource.update({ ...stale, data: { mine: "stale" } })).rejects.toMatchObject({ code: 409 });
      return resource.update(name, (map) => {
        map.data = { ...map.data, mine: "yes" };
      });
    },
  });
  await world.maps.patch("a", { type: "merge", patch: { data: { theirs: "yes" } } });
  await until("both", () => one.getSnapshot().object?.data?.["theirs"] === "yes");
  expect(one.getSnapshot().object?.data).toEqual({ size: "1", mine: "yes", theirs: "yes" });
  release();
  await done;
  await settle();
  expect(one.getSnapshot().object?.data).toEqual({ size: "1", mine: "yes", theirs: "yes" });
  leave();
});

it("prefetched data is shown until the informer has its own, also after JSON", async () => {
  await using world = await openStores();
  await world.maps.create({ metadata: { name: "a" } });
  await world.stores.prefetch(ConfigMap, { namespace: "default" });
  const dehydrated = JSON.parse(JSON.stringify(world.stores.dehydrate())) as ReturnType<typeof world.stores.dehydrate>;
  await using page = createLiveStores(world.client, { dehydrated, intervalMs: 0, lingerMs: 0 });
  const store = page.collection(ConfigMap, { namespace: "default" });
  expect(
    [store.getServerSnapshot(), store.getSnapshot()].map(({ items, isSynced }) => [items.length, isSynced]),
  ).toEqual([
    [1, true],
    [1, true],
  ]);
  await world.maps.create({ metadata: { name: "b" } });
  const leave = store.subscribe(() => undefined);
  await until("live", () => store.getSnapshot().items.length === 2);
  expect(store.getServerSnapshot().items.length).toBe(1);
  leave();
});

it("a refusal appears as status and rejects ready, and errors of listeners go to onError", async () => {
  const errors: unknown[] = [];
  await using world = await openStores({
    onError: (error) => errors.push(error),
    informer: { refusedBackoff: { initialMs: 1, factor: 1, capMs: 1, jitter: 0 } },
  });
  world.server.faults.add({ match: { resource: "configmaps" }, effect: { type: "status", code: 403 } });
  const store = world.stores.collection(ConfigMap);
  const leave = store.subscribe(() => {
    throw new RangeError("listener");
  });
  await expect(store.ready()).rejects.toMatchObject({ code: 403 });
  await until("refused", () => store.getSnapshot().status.type === "refused");
  expect(store.getSnapshot().status.error).toMatchObject({ code: 403 });
  await until("reported", () => errors.some((error) => error instanceof RangeError));
  leave();
});

it.each([
  [[1, 2], [1, 2], true],
  [[1, 2], [1, 3], false],
  [{ a: 1 }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, false],
  [[], {}, false],
  [null, {}, false],
  [Number.NaN, Number.NaN, true],
])("shallowEqual of %j and %j is %s", (a, b, expected) => {
  expect(shallowEqual(a, b)).toBe(expected);
});

it("stores refuse a namespace with a handle, and negative times", async () => {
  await using world = await openStores();
  expect(() => world.stores.collection(world.maps, { namespace: "default" })).toThrow(
    /options.namespace is only valid/,
  );
  expect(() => createLiveStores(world.client, { lingerMs: -1 })).toThrow("lingerMs must be at least 0, not -1");
});
