import { expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../../../src/cache/informer/informer.js";
import { createPersistence, getClusterIdentity } from "../../../../src/cache/persist/persistence.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import type { SnapshotStorage } from "../../../../src/meta/snapshot-storage.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import { openWorld, until } from "../../controller/world.js";
import { createMemoryStorage, openKept, sizes } from "./kept-store.js";

it("an informer starts with the kept store and resumes its watch without a list", async () => {
  await using world = await openKept();
  await world.maps.patch("a", { type: "merge", patch: { data: { size: "2" } } });
  await world.maps.delete("b");
  await world.maps.create({ metadata: { name: "c" }, data: { size: "1" } });
  await using informer = world.create();
  const changes: string[] = [];
  informer.addHandler(({ type, key, cause }) => changes.push(`${type} ${key} ${cause}`));
  await informer.synced();
  expect(sizes(informer)).toBe("a=1,b=1");
  await until("up to date", () => sizes(informer) === "a=2,c=1");
  expect(changes.sort()).toEqual([
    "added default/a list",
    "added default/b list",
    "added default/c live",
    "deleted default/b live",
    "updated default/a live",
  ]);
  expect([informer.metrics.listsDone, informer.metrics.lists, world.errors]).toEqual([0, 0, []]);
});

it("a kept store whose version is too old for a watch is replaced by a list with the differences", async () => {
  await using world = await openKept();
  await world.maps.delete("b");
  world.server.faults.add({ match: { verb: "watch" }, effect: { type: "status", code: 410 }, times: 1 });
  await using informer = world.create();
  const changes: string[] = [];
  informer.addHandler(({ type, key, cause }) => changes.push(`${type} ${key} ${cause}`));
  await until("listed", () => sizes(informer) === "a=1");
  expect(changes).toContain("deleted default/b relist");
});

it("a kept store of a server that lost its history is replaced by a list", async () => {
  await using world = await openKept();
  for (let i = 0; i < 20; i++) await world.maps.patch("a", { type: "merge", patch: { data: { size: `${i}` } } });
  const advanced = world.create();
  await advanced.synced();
  await until("up to date", () => sizes(advanced) === "a=19,b=1");
  await advanced.close();
  const clock = createVirtualClock();
  await using other = openWorld({ clock });
  const maps = other.client.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "z" }, data: { size: "9" } });
  await using informer = createInformer(maps, { persistence: createPersistence(world.persistence), clock });
  await informer.synced();
  await clock.advance(0);
  await until("listed", async () => {
    await clock.advance(1_000);
    return sizes(informer) === "z=9";
  });
});

it.each<[string, (world: Awaited<ReturnType<typeof openKept>>) => InformerOptions<ConfigMap>]>([
  [
    "another identity",
    ({ persistence }) => ({ persistence: createPersistence({ ...persistence, identity: "other" }) }),
  ],
  [
    "another version of the stored form",
    ({ persistence }) => ({ persistence: createPersistence({ ...persistence, version: "2" }) }),
  ],
  ["another selector", () => ({ labelSelector: "!missing" })],
  ["other decoding", () => ({ decode: { managedFields: "drop" } })],
])("an informer with %s doesn't use the kept store", async (_what, change) => {
  await using world = await openKept();
  await using informer = world.create(change(world));
  await informer.synced();
  expect([informer.metrics.listsDone, sizes(informer)]).toEqual([1, "a=1,b=1"]);
});

it("a kept store with any flipped bit or lost end is discarded, and the reason reported", async () => {
  await using world = await openKept();
  const [[name, bytes]] = [...world.storage.data] as [[string, Uint8Array<ArrayBuffer>]];
  const step = Math.max(1, Math.floor(bytes.length / 25));
  const broken: Uint8Array<ArrayBuffer>[] = [bytes.slice(0, 0), bytes.slice(0, 20), bytes.slice(0, -1)];
  for (let at = 0; at < bytes.length; at += step) {
    const copy = bytes.slice();
    copy[at]! ^= 1 << (at % 8);
    broken.push(copy);
  }
  for (const copy of broken) {
    world.storage.data.set(name, copy);
    const informer = world.create();
    await informer.synced();
    expect([informer.metrics.listsDone, sizes(informer), world.errors.splice(0).map(String)]).toEqual([
      1,
      "a=1,b=1",
      [expect.stringMatching(/^ProtocolError: persisted store is invalid/)],
    ]);
    await informer.close();
  }
});

it.each<[string, unknown]>([
  ["text", "kubestream-store/1\np"],
  ["a number", 5],
  ["null", null],
  ["an array with a huge length", { length: 1e9 }],
  ["a buffer without a view", new ArrayBuffer(64)],
  ["no bytes", new Uint8Array(0)],
])("a storage that was tampered with and returns %s is ignored, and the reason reported", async (_what, value) => {
  await using world = await openKept();
  world.storage.read = async () => value as Uint8Array<ArrayBuffer>;
  await using informer = world.create();
  await informer.synced();
  expect(sizes(informer)).toBe("a=1,b=1");
  expect(world.errors).toMatchObject([{ name: "ProtocolError", message: /^persisted store is invalid: / }]);
});

it("a snapshot under another collection's name is discarded", async () => {
  await using world = await openKept();
  const [[name, bytes]] = [...world.storage.data] as [[string, Uint8Array<ArrayBuffer>]];
  world.storage.data.set(name.replace("cluster", "other"), bytes);
  await using informer = world.create({ persistence: createPersistence({ ...world.persistence, identity: "other" }) });
  await informer.synced();
  expect([informer.metrics.listsDone, String(world.errors[0])]).toEqual([
    1,
    "ProtocolError: persisted store is invalid: it belongs to another collection or server",
  ]);
});

it("a storage or identity that fails doesn't keep the informer from listing", async () => {
  await using world = openWorld();
  const errors: string[] = [];
  const failing = async (): Promise<never> => {
    throw new RangeError("disk full");
  };
  const storage: SnapshotStorage = { read: failing, write: failing, remove: failing };
  for (const identity of ["cluster", failing]) {
    const informer = createInformer(world.client.resource(ConfigMap), {
      persistence: createPersistence({ storage, identity, onError: (error) => errors.push(String(error)) }),
    });
    await informer.synced();
    await informer.close();
  }
  expect(errors).toEqual(Array.from({ length: 4 }, () => "RangeError: disk full"));
});

it("getClusterIdentity returns the UID of kube-system", async () => {
  await using world = openWorld();
  await until("kube-system", () =>
    getClusterIdentity(world.client).then(
      () => true,
      () => false,
    ),
  );
  expect(await getClusterIdentity(world.client)).toMatch(/^[0-9a-f-]{36}$/);
});

it("a storage or identity that never answers doesn't keep the informer from listing or closing", async () => {
  await using world = openWorld();
  const never = (): Promise<never> => new Promise(() => undefined);
  const storage = createMemoryStorage();
  const maps = world.client.resource(ConfigMap);
  const cases = [
    { storage, identity: never },
    { storage: { ...storage, read: never }, identity: "cluster" },
  ];
  for (const [at, persistence] of cases.entries()) {
    const clock = createVirtualClock();
    const errors: string[] = [];
    const onError = (error: unknown): Promise<never> => {
      errors.push(String(error));
      return Promise.reject(new Error("a rejected report"));
    };
    const options = {
      clock,
      persistence: createPersistence({ ...persistence, onError: onError as (error: unknown) => void }),
    };
    const informer = createInformer(maps, options);
    informer.start();
    expect(await clock.runUntil(() => informer.status.type === "watching", 11_000)).toBe(true);
    expect(errors).toEqual([
      `TransportError: persistence.${at === 0 ? "identity" : "storage"}: no answer within 10000 ms`,
    ]);
    const closing = informer.close();
    await clock.advance(5_000);
    await closing;
    const stuck = createInformer(maps, { ...options, clock: createVirtualClock() });
    stuck.start();
    await stuck.close();
  }
});
