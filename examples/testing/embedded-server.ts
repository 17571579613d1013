// Client and API server in one process, without a socket. Unit tests of your own code can do the same.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");

const informer = createInformer(maps);
informer.addHandler((change) => {
  // The namespace also contains kube-root-ca.crt, like in a real cluster.
  if (change.key === "default/settings") console.log(change.type, change.key, change.object.data?.["colour"]);
});
await informer.synced();

await maps.create({ metadata: { name: "settings" }, data: { colour: "blue" } });
const changed = await maps.patch("settings", { type: "merge", patch: { data: { colour: "red" } } });
await maps.delete("settings");
await informer.waitForResourceVersion(String(Number(changed.metadata?.resourceVersion) + 1));

await informer.close();
await client.close();
await server.close();
