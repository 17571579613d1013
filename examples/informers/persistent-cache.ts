// An informer that keeps its store in a file: the second start needs no list. Secrets would need an encryption key.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInformer, createPersistence, getClusterIdentity, type Informer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect, createFileStorage } from "kubestream/node";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const folder = await mkdtemp(join(tmpdir(), "kept-"));
const persistence = createPersistence({
  storage: createFileStorage(folder),
  identity: () => getClusterIdentity(client),
  onError: console.error,
});
const open = (): Informer<ConfigMap> =>
  createInformer(maps, { labelSelector: "example=persistent-cache", persistence });
const colours = (informer: Informer<ConfigMap>): (string | undefined)[] =>
  informer.store.list().map(({ data }) => data?.["colour"]);

const labels = { example: "persistent-cache" };
await maps.create({ metadata: { name: "page", labels }, data: { colour: "blue" } });
const first = open();
await first.synced();
console.log("first start:", colours(first), "lists:", first.metrics.listsDone);
await first.close(); // Writes the store.

const { metadata } = await maps.patch("page", { type: "merge", patch: { data: { colour: "red" } } });
const second = open();
await second.synced();
console.log("second start:", colours(second), "lists:", second.metrics.listsDone);
await second.waitForResourceVersion(metadata!.resourceVersion!, { timeoutMs: 30_000 });
console.log("after the watch:", colours(second), "lists:", second.metrics.listsDone);

await second.close();
await maps.delete("page");
await rm(folder, { recursive: true });
await client.close();
