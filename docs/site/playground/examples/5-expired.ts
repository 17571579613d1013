// 410 Gone: the server forgets its history while the informer is disconnected.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";

// A watch can only resume over the last change.
const server = createApiServer({ retention: { windowEvents: 1 } });
const writer = createClient({ transport: handlerTransport(server.handle) });
const maps = writer.resource(ConfigMap).namespace("default");
await maps.create({ metadata: { name: "before" } });

// The informer has its own connection: its requests wait while the connection is down.
let connection = Promise.resolve();
let reconnect = () => {};
const reader = createClient({
  transport: handlerTransport(async (request) => {
    await connection;
    return server.handle(request);
  }),
});
const informer = createInformer(reader.resource(ConfigMap).namespace("default"), {
  initialList: "list",
  backoff: { initialMs: 500, factor: 1, capMs: 500, jitter: 0 },
});
informer.addHandler(({ type, object, cause }) => {
  if (object.metadata?.name !== "kube-root-ca.crt") console.log(type, object.metadata?.name, `(${cause})`);
});
const broken = new Promise<void>((resolve) => {
  informer.onStatus((status) => {
    if (status.type === "synced") console.log("synced");
    if (status.type !== "backingOff") return;
    console.log(`${status.kind}: next attempt in ${status.delayMs} ms`);
    connection = new Promise((up) => (reconnect = up));
    resolve();
  });
});

// The first watch breaks at its first event.
server.faults.add({ match: { verb: "watch" }, effect: { type: "reset", afterBytes: 1 }, times: 1 });
await informer.synced();
await maps.create({ metadata: { name: "missed" } });
await broken;
await maps.delete("before");
await maps.create({ metadata: { name: "after" } });
reconnect();

// The server answers the watch with 410 Gone. The informer lists again and reports the differences.
while (informer.store.get("default/after") === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
console.log("lists:", informer.metrics.lists);

await informer.close();
await reader.close();
await writer.close();
await server.close();

// Prints:
// synced
// added before (list)
// transport: next attempt in 500 ms
// synced
// deleted before (relist)
// added after (relist)
// added missed (relist)
// lists: 2
