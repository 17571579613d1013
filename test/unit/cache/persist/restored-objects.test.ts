import { expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import { createPersistence, type PersistenceOptions } from "../../../../src/cache/persist/persistence.js";
import { decodeSnapshot, encodeSnapshot } from "../../../../src/cache/persist/snapshot-format.js";
import { objectKey } from "../../../../src/cache/store/object-key.js";
import { createClient } from "../../../../src/client/client.js";
import { deepFreeze } from "../../../../src/codec/freeze.js";
import { coreV1, protobufFor } from "../../../../src/codec/protobuf/index.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { cloneObject } from "../../../../src/internal/clone-object.js";
import { deepEqual } from "../../../../src/internal/deep-equal.js";
import { ConfigMap, Pod } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { openWorld } from "../../controller/world.js";
import { createMemoryStorage } from "./kept-store.js";

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
