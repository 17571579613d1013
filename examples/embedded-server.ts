// Client and API server in one process: what a unit test of your own code can look like.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");

const informer = createInformer(maps);
informer.addHandler((change) => {
  // As in a real cluster there is one more, with the root certificate.
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
