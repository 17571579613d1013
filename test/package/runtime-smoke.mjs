// Runs in Node, Bun and Deno: an informer in the process, and one over a socket.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { listen } from "kubestream/apiserver/node";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const server = createApiServer({ controllers: false });
const listener = await listen(server, { port: 0 });
const clients = {
  "in the process": createClient({ transport: handlerTransport(server.handle) }),
  "over a socket": await connect({ server: listener.url }),
};
for (const [place, client] of Object.entries(clients)) {
  const maps = client.resource(ConfigMap).namespace("default");
  const informer = createInformer(maps);
  await informer.synced({ timeoutMs: 30_000 });
  const before = informer.store.size;
  const { metadata } = await maps.create({ metadata: { generateName: "smoke-" } });
  await informer.waitForResourceVersion(metadata.resourceVersion, { timeoutMs: 30_000 });
  if (informer.store.size !== before + 1) throw new Error(`${place}: the informer missed an object`);
  console.log(`${place}: ok`);
  await informer.close();
  await client.close();
}
await listener.close();
await server.close();
