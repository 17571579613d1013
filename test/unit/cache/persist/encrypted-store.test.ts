import { expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import { stripManagedFields } from "../../../../src/cache/informer/transform.js";
import { createPersistence, type PersistenceOptions } from "../../../../src/cache/persist/persistence.js";
import { ConfigMap, Secret } from "../../../../src/kinds/core/v1.js";
import { openWorld } from "../../controller/world.js";
import { createMemoryStorage, openKept, sizes } from "./kept-store.js";

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
