// Counts pods by their app label. A metadata-only informer receives a fraction of each object's bytes.
import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const informer = createInformer(client.resource(Pod).metadataOnly(), {
  indexes: {
    app: (pod) =>
      Object.entries(pod.metadata?.labels ?? {})
        .filter(([label]) => label === "app")
        .map(([, value]) => value),
  },
});
await informer.synced();
for (const app of informer.store.indexValues("app").sort()) console.log(app, informer.store.byIndex("app", app).length);
await informer.close();
await client.close();
