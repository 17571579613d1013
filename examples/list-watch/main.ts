import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { fromInformer } from "kubestream/rx";

const client = await connect(); // or connect({ kubeconfig: path, context })
const pods = client.resource(Pod).namespace("web"); // without .namespace(): all namespaces
for await (const page of pods.pages({ limit: 500 })) console.log(page.items.length, page.metadata.remainingItemCount);
for await (const pod of pods.items({ labelSelector: "app=web" })) console.log(pod.metadata?.name);
const informer = createInformer(pods);
// Starts the informer. A change is "added", "updated" or "deleted".
const subscription = fromInformer(informer).subscribe((change) => {
  if (change.type === "updated")
    console.log(change.old.metadata?.resourceVersion, change.object.metadata?.resourceVersion);
});
await informer.synced({ signal: AbortSignal.timeout(10_000) });
console.log(informer.store.list().length, informer.store.get("web/pod-0")?.status?.phase);
subscription.unsubscribe();
await informer.close();
await client.close(); // no socket or timer is left
