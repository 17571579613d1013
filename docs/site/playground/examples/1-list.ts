// List: one page at a time, or object by object.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";

// The server runs in this page. Against a cluster: connect() from "kubestream/node".
const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");

for (let index = 0; index < 25; index++) {
  await maps.create({
    metadata: { name: `settings-${index}`, labels: { tier: index % 5 === 0 ? "front" : "back" } },
    data: { index: String(index) },
  });
}

for await (const page of maps.pages({ limit: 10 }))
  console.log(page.items.length, "objects,", page.metadata.remainingItemCount ?? 0, "left");

for await (const map of maps.items({ labelSelector: "tier=front" }))
  console.log(map.metadata?.name, map.data?.["index"]);

await client.close();
await server.close();

// Prints:
// 10 objects, 16 left
// 10 objects, 6 left
// 6 objects, 0 left
// settings-0 0
// settings-10 10
// settings-15 15
// settings-20 20
// settings-5 5
