// Informer: a live copy of a collection, with the old object in each change.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const pods = client.resource(Pod).namespace("default");

const informer = createInformer(pods);
informer.addHandler((change) => {
  const phase = change.object.status?.phase;
  if (change.type !== "updated") console.log(change.type, change.key, phase);
  else if (change.old.status?.phase !== phase) console.log(change.key, change.old.status?.phase, "→", phase);
});
await informer.synced();

const spec = { containers: [{ name: "main", image: "web:1" }] };
await pods.create({ metadata: { name: "web-0" }, spec });
const running = await pods
  .subresource("status")
  .patch("web-0", { type: "merge", patch: { status: { phase: "Running" } } });

// The cache catches up with your own write before you read it.
await informer.waitForResourceVersion(running.metadata?.resourceVersion ?? "0");
console.log("in the cache:", informer.store.get("default/web-0")?.status?.phase);

await pods.delete("web-0", { gracePeriodSeconds: 0 });
while (informer.store.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
console.log(informer.store.size, "pods left");

await informer.close();
await client.close();
await server.close();

// Prints:
// added default/web-0 Pending
// default/web-0 Pending → Running
// in the cache: Running
// deleted default/web-0 Running
// 0 pods left
