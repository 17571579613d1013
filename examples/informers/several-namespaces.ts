// One store over several namespaces, for clients that may not list the whole cluster.
import { createInformerFactory, mergeInformers } from "kubestream/cache";
import { ConfigMap, Namespace } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const names = ["team-a", "team-b"];
for (const name of names) {
  await client.resource(Namespace).create({ metadata: { name } });
  await client
    .resource(ConfigMap)
    .namespace(name)
    .create({ metadata: { name: "settings" }, data: { team: name } });
}

// All users of the factory share one watch per collection.
const factory = createInformerFactory({ labelSelector: "!kubernetes.io/bootstrapping" });
const all = mergeInformers(names.map((name) => factory.informer(client.resource(ConfigMap).namespace(name))));
await all.synced({ timeoutMs: 10_000 });
const settings = all.store.list({ fieldSelector: "metadata.name=settings" });
console.log(settings.map(({ metadata, data }) => `${metadata?.namespace ?? ""} ${data?.["team"] ?? ""}`).sort());
console.log("informers:", factory.size);

await factory.close();
for (const name of names) await client.resource(Namespace).delete(name);
await client.close();
