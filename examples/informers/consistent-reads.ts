// Read your own writes from a cache: a read waits until the informer has seen your last write to that name.
import { createInformer, readYourWrites } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const informer = createInformer(maps);
await informer.synced();
const consistent = readYourWrites(maps, informer, { timeoutMs: 10_000 });

let stale = 0;
await consistent.write("counter", () => maps.create({ metadata: { name: "counter" }, data: { count: "0" } }));
for (let count = 1; count <= 20; count++) {
  const patch = { type: "merge", patch: { data: { count: String(count) } } } as const;
  await consistent.write("counter", () => maps.patch("counter", patch));
  const found = await consistent.get("counter");
  if (found?.data?.["count"] !== String(count)) stale++;
}
console.log("stale reads:", stale);
// The reads cost no request: the informer listed once.
console.log("lists:", informer.metrics.lists);

await consistent.write("counter", () => maps.delete("counter"));
console.log("after delete:", await consistent.get("counter"));
await informer.close();
await client.close();
