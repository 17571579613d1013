// Fault injection: the embedded server fails on purpose, and the client and the informer recover.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";

const server = createApiServer({ controllers: false });
const client = createClient({
  transport: handlerTransport(server.handle),
  retry: { initialMs: 1, onRetry: ({ failures }) => console.log("retry", failures) },
});
const maps = client.resource(ConfigMap).namespace("default");

// An overloaded server: two 429 responses, then it works.
const overloaded = { type: "status", code: 429, retryAfterSeconds: 0 } as const;
server.faults.add({ match: { verb: "create" }, effect: overloaded, times: 2 });
await maps.create({ metadata: { name: "a" } });

// A broken network: the watch ends without a word, and history is gone when the informer comes back.
const backoff = { initialMs: 1, factor: 1, capMs: 1, jitter: 0 };
const informer = createInformer(maps, { backoff, initialList: "list" });
informer.addHandler(({ type, key, cause }) => console.log(type, key, `(${cause})`));
server.faults.add({ match: { verb: "watch" }, effect: { type: "reset" }, times: 1 });
server.faults.add({ match: { verb: "watch" }, effect: { type: "status", code: 410 }, after: 1, times: 1 });
await informer.synced();
const { metadata } = await maps.create({ metadata: { name: "b" } });
await informer.waitForResourceVersion(metadata?.resourceVersion ?? "", { timeoutMs: 10_000 });

console.log(informer.store.size, "objects,", server.faults.hits["reset"], "reset");
server.faults.clear();
await informer.close();
await client.close();
await server.close();
