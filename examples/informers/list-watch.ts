import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect(); // your kubeconfig, or the service account of the pod
const pods = client.resource(Pod).namespace("web"); // without .namespace(): all namespaces

// Reads 500 pods per request, and stops when you do.
for await (const pod of pods.items({ labelSelector: "app=web" })) console.log(pod.metadata?.name);

// A live copy of the collection. It survives lost connections and expired resource versions.
const informer = createInformer(pods);
informer.addHandler((change) => console.log(change.type, change.key, change.object.status?.phase));
await informer.synced({ timeoutMs: 10_000 });
console.log(informer.store.list().length, "pods,", informer.store.get("web/pod-0")?.status?.phase);

await informer.close();
await client.close();
