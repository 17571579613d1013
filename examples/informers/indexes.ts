// An informer as a local database: only pods with a label, found by index, selector or key.
import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const pods = client.resource(Pod).namespace("web");

// The server filters: objects that lose the label leave the store.
const informer = createInformer(pods, {
  labelSelector: "app=web",
  indexes: {
    image: (pod) => pod.spec?.containers.map(({ image }) => image ?? "") ?? [],
    node: (pod) => [pod.spec?.nodeName ?? "unscheduled"],
  },
});
await informer.synced({ timeoutMs: 10_000 });
const { store } = informer;
console.log("by index:", store.byIndex("image", "web:1").length, store.indexValues("node"));
console.log("by key:", store.get("web/pod-1")?.metadata?.name);
console.log("by selector:", store.list({ fieldSelector: "metadata.name!=pod-0" }).length);

// Waits for the watch to deliver the change, instead of reading too early.
const changed = await pods.patch("pod-2", { type: "merge", patch: { metadata: { labels: { app: "other" } } } });
await informer.waitForResourceVersion(changed.metadata?.resourceVersion ?? "", { timeoutMs: 10_000 });
console.log("after the label changed:", store.size);
await pods.patch("pod-2", { type: "merge", patch: { metadata: { labels: { app: "web" } } } });
await informer.close();
await client.close();
