// 410 Gone: the server forgets its history while the informer is disconnected.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";

// A watch can only resume over the last change.
const server = createApiServer({ retention: { windowEvents: 1 } });
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");
await maps.create({ metadata: { name: "before" } });

// The first watch breaks as soon as it has something to say.
server.faults.add({ match: { verb: "watch" }, effect: { type: "reset", afterBytes: 1 }, times: 1 });

const informer = createInformer(maps, {
  initialList: "list",
  backoff: { initialMs: 500, factor: 1, capMs: 500, jitter: 0 },
});
informer.onStatus((status) => {
  if (status.type === "backingOff") console.log(`${status.kind}: next attempt in ${status.delayMs} ms`);
  else if (status.type !== "listing") console.log(status.type);
});
informer.addHandler(({ type, object, cause }) => {
  if (object.metadata?.name !== "kube-root-ca.crt") console.log(type, object.metadata?.name, `(${cause})`);
});
await informer.synced();

// The connection breaks at this write. Until the informer is back, the server forgets what happened.
await maps.create({ metadata: { name: "missed" } });
await new Promise((resolve) => setTimeout(resolve, 100));
await maps.delete("before");
await maps.create({ metadata: { name: "after" } });

// The watch is answered with 410 Gone. The informer lists again and reports the difference.
while (informer.store.get("default/after") === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
console.log("lists:", informer.metrics.lists);

await informer.close();
await client.close();
await server.close();

// Prints:
// synced
// added before (list)
// watching
// transport: next attempt in 500 ms
// watching
// synced
// deleted before (relist)
// added after (relist)
// added missed (relist)
// watching
// lists: 2
// closed
