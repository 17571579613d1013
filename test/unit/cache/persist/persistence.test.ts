import { IDBFactory } from "fake-indexeddb";
import { expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../../../src/cache/informer/informer.js";
import { stripManagedFields } from "../../../../src/cache/informer/transform.js";
import { createIndexedDbStorage } from "../../../../src/cache/persist/indexed-db-storage.js";
import {
  createPersistence,
  getClusterIdentity,
  type PersistenceOptions,
} from "../../../../src/cache/persist/persistence.js";
import { decodeSnapshot, encodeSnapshot } from "../../../../src/cache/persist/snapshot-format.js";
import { objectKey } from "../../../../src/cache/store/object-key.js";
import { createClient } from "../../../../src/client/client.js";
import { deepFreeze } from "../../../../src/codec/freeze.js";
import { coreV1, protobufFor } from "../../../../src/codec/protobuf/index.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { cloneObject } from "../../../../src/internal/clone-object.js";
import { deepEqual } from "../../../../src/internal/deep-equal.js";
import { ConfigMap, Pod, Secret } from "../../../../src/kinds/core/v1.js";
import type { SnapshotStorage } from "../../../../src/meta/snapshot-storage.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import { openWorld, until } from "../../controller/world.js";

type MemoryStorage = SnapshotStorage & { readonly data: Map<string, Uint8Array<ArrayBuffer>> };

function createMemoryStorage(): MemoryStorage {
  const data = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    data,
    read: async (name) => data.get(name)?.slice(),
    write: async (name, bytes) => void data.set(name, bytes.slice()),
    remove: async (name) => void data.delete(name),
  };
}

/** A server with two objects, and a storage with the store of an informer that was closed. */
async function openKept(options: Partial<PersistenceOptions> = {}) {
  const world = openWorld();
  const storage = createMemoryStorage();
  const maps = world.client.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  await maps.create({ metadata: { name: "b" }, data: { size: "1" } });
  const errors: unknown[] = [];
  const persistence = { storage, identity: "cluster", onError: (error: unknown) => errors.push(error), ...options };
  const create = (more: InformerOptions<ConfigMap> = {}) =>
    createInformer(maps, { persistence: createPersistence(persistence), ...more });
  const first = create();
  await first.synced();
  await first.close();
  expect([storage.data.size, errors]).toEqual([1, []]);
  return { ...world, maps, storage, errors, create, persistence };
}

const sizes = (informer: ReturnType<typeof createInformer<ConfigMap>>): string =>
  informer.store
    .list()
    .map(({ metadata, data }) => `${metadata?.name}=${data?.["size"]}`)
    .sort()
    .join();

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

const newKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);

it("an encrypted store has no readable text, and only its key opens it", async () => {
  const encryptionKey = await newKey();
  await using world = await openKept({ encryptionKey });
  const text = new TextDecoder("latin1").decode([...world.storage.data.values()][0]);
  expect(text).not.toContain("size");
  await using informer = world.create();
  await informer.synced();
  expect([informer.metrics.listsDone, sizes(informer)]).toEqual([0, "a=1,b=1"]);
  const kept = [...world.storage.data] as const;
  for (const key of [undefined, await newKey()]) {
    for (const [name, bytes] of kept) world.storage.data.set(name, bytes);
    await using other = world.create({ persistence: createPersistence({ ...world.persistence, encryptionKey: key }) });
    await other.synced();
    expect(other.metrics.listsDone).toBe(1);
  }
  expect(world.errors.map(String)).toEqual([
    "ProtocolError: persisted store is invalid: wrong encryption mode",
    "ProtocolError: persisted store is invalid: it can't be decrypted with this key",
  ]);
});

it("Secrets are kept only with an encryption key, and a transform needs a version", async () => {
  await using world = openWorld();
  const persistence: PersistenceOptions = { storage: createMemoryStorage(), identity: "cluster" };
  const secrets = world.client.resource(Secret);
  for (const source of [secrets, secrets.metadataOnly()])
    expect(() => createInformer<unknown>(source, { persistence: createPersistence(persistence) })).toThrow(
      "persistence.encryptionKey is required for secret",
    );
  expect(() => createInformer(secrets, { persistence: createPersistence({ ...persistence, intervalMs: 0 }) })).toThrow(
    "intervalMs",
  );
  const maps = world.client.resource(ConfigMap);
  expect(() =>
    createInformer(maps, { persistence: createPersistence(persistence), transform: stripManagedFields }),
  ).toThrow("persistence.version is required");
  const encryptionKey = await newKey();
  await using informer = createInformer(secrets, { persistence: createPersistence({ ...persistence, encryptionKey }) });
  await informer.synced();
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

it("a store of lazily decoded Protobuf is kept whole", async () => {
  await using world = openWorld();
  const codecs = [protobufFor([coreV1])];
  await using client = createClient({ transport: handlerTransport(world.server.handle), codecs });
  const pods = client.resource(Pod).namespace("default");
  const spec = { containers: [{ name: "a", image: "nginx", resources: { limits: { cpu: "1", memory: "1Gi" } } }] };
  const created = await pods.create({ metadata: { name: "a", labels: { app: "a" } }, spec });
  const storage = createMemoryStorage();
  const persistence: PersistenceOptions = { storage, identity: "cluster" };
  const first = createInformer(pods, { persistence: createPersistence(persistence), decode: { lazy: true } });
  await first.synced();
  await first.close();
  await using second = createInformer(pods, { persistence: createPersistence(persistence), decode: { lazy: true } });
  await second.synced();
  expect([second.metrics.listsDone, deepEqual(second.store.get("default/a"), created)]).toEqual([0, true]);
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

it("an IndexedDB storage reads what it wrote, replaces and removes it", async () => {
  const storage = createIndexedDbStorage({ indexedDB: new IDBFactory() });
  expect(await storage.read("a")).toBe(undefined);
  await storage.write("a", new Uint8Array([1, 2]));
  await storage.write("a", new Uint8Array([3]));
  await storage.write("b", new Uint8Array([4]));
  expect([...(await storage.read("a"))!]).toEqual([3]);
  await storage.remove("a");
  expect([await storage.read("a"), [...(await storage.read("b"))!]]).toEqual([undefined, [4]]);
});

it("an IndexedDB storage rejects where IndexedDB is missing", async () => {
  await expect(createIndexedDbStorage().read("a")).rejects.toThrow("IndexedDB is not available");
});

/** Returns a snapshot with a right checksum and any content. */
async function forge(content: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(content);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Uint8Array.from([...new TextEncoder().encode("kubestream-store/2\np"), ...digest, ...bytes]);
}

/** Returns the text of a block with one object. */
function blockOf(object: string, changes: Readonly<Record<string, unknown>> = {}): string {
  const index = { keys: ["a"], sizes: [object.length], fields: [["metadata"]], shapes: [0], ...changes };
  return `${JSON.stringify(index)}\n${object}`;
}

const named = '{"metadata":{"name":"a"}}';

it("a forged snapshot is discarded without a word of its content", { timeout: 30_000 }, async () => {
  await using world = await openKept();
  const [name] = [...world.storage.data.keys()] as [string];
  const head = (count: number): string => `${JSON.stringify({ name, resourceVersion: "1", count })}\n`;
  const contents = [
    ...["", "\n", "null\n", "secret\n", "[]\n", head(0).trim()],
    ...[
      { name, resourceVersion: 5, count: 0 },
      { name, count: 0 },
    ].map((line) => `${JSON.stringify(line)}\n`),
    ...["{}", "{}\n", "secret\n", "[[\n", "5\n", blockOf(named).slice(0, -1)].map((rest) => head(1) + rest),
    ...[head(2) + blockOf(named), head(2) + blockOf(named) + blockOf(named), head(0) + blockOf(named)],
    ...[
      { keys: [] },
      { keys: [5] },
      { keys: [""] },
      { keys: ["a", "secret"] },
      { sizes: [-1] },
      { sizes: ["secret"] },
      { shapes: [0.5] },
      { shapes: [] },
      { fields: 5 },
      { fields: [Array.from({ length: 17 }, (_, i) => `secret${i}`)] },
    ].map((changes) => head(1) + blockOf(named, changes)),
    // Objects with more fields than are deferred are parsed at once.
    ...["null", "secret", "[]", "{}", '{"metadata":{"name":"secret"}}', '{"metadata":{"name":{"secret":1}}}'].map(
      (object) => head(1) + blockOf(object, { shapes: [-1] }),
    ),
  ];
  for (const content of contents) {
    world.storage.data.set(name, await forge(content));
    const informer = world.create();
    await informer.synced();
    const reasons = world.errors.splice(0).map(String);
    expect([informer.metrics.listsDone, sizes(informer), reasons], content.slice(0, 200)).toEqual([
      1,
      "a=1,b=1",
      [expect.stringMatching(/^ProtocolError: persisted store is invalid: (?!.*secret)/)],
    ]);
    await informer.close();
  }
});

it.each(["null", "secret", "[".repeat(100_000), '{"metadata":null}', '{"metadata":{"name":"secret"}}'])(
  "a forged object is refused when it's read: %.30s",
  async (object) => {
    await using world = await openKept();
    const [name] = [...world.storage.data.keys()] as [string];
    const content = `${JSON.stringify({ name, resourceVersion: "1", count: 1 })}\n${blockOf(object)}`;
    const restored = await decodeSnapshot(await forge(content), name, undefined, systemClock);
    const stored = restored.objects.get("a") as ConfigMap;
    expect(() => stored.metadata).toThrow(/^persisted store is invalid: (?!.*secret)/);
  },
);

const encodeAndDecode = async (objects: readonly object[]): Promise<object[]> => {
  const snapshot = {
    name: "s",
    resourceVersion: "1",
    objects: new Map(objects.map((each) => [objectKey(each), each])),
  };
  const restored = await decodeSnapshot(
    await encodeSnapshot(snapshot, undefined, systemClock),
    "s",
    undefined,
    systemClock,
  );
  return [...restored.objects.values()];
};

const fieldsOf = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, { value: "ü€𝄞".repeat(i) }]));
const samples = [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" }, data: { size: "1" } },
  { metadata: { name: "b" }, spec: undefined, status: null },
  { metadata: { name: "c" }, ...fieldsOf(15) },
  { metadata: { name: "d" }, ...fieldsOf(16) },
  { metadata: { name: "e" }, ["__proto__"]: { own: true } },
  { metadata: { name: "f" }, data: { large: "ü".repeat(600_000) } },
];

it("restored objects equal the stored ones in JSON, in copies, when frozen, and when they are stored again", async () => {
  const expected = samples.map((each) => JSON.stringify(each));
  const texts = (objects: readonly object[]): string[] => objects.map((each) => JSON.stringify(each));
  expect(texts(await encodeAndDecode(samples))).toEqual(expected);
  expect(texts((await encodeAndDecode(samples)).map((each) => ({ ...each })))).toEqual(expected);
  expect(texts((await encodeAndDecode(samples)).map(cloneObject))).toEqual(expected);
  // Neither read before it is stored again, nor for the first time by storing it.
  expect(texts(await encodeAndDecode(await encodeAndDecode(samples)))).toEqual(expected);
  const read = await encodeAndDecode(samples);
  expect(texts(read)).toEqual(expected);
  expect(texts(await encodeAndDecode(read))).toEqual(expected);
  const [frozen] = (await encodeAndDecode(samples)).map(deepFreeze) as [ConfigMap];
  expect(() => (frozen.data!["size"] = "2")).toThrow(TypeError);
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
