import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect(); // your kubeconfig
const informer = createInformer(client.resource(Pod));

informer.addHandler((change) => {
  console.log(change.type, change.key, change.object.status?.phase);
});
await informer.synced();
console.log(informer.store.size, "pods, kept up to date");
