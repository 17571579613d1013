// Watch: every change from a resource version on, as an async iterator.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");

const { resourceVersion = "0" } = (await maps.list()).metadata;

// These writes happen before the watch starts. It still sees them: the server replays its history.
await maps.create({ metadata: { name: "traffic-light" }, data: { light: "red" } });
for (const light of ["green", "yellow"])
  await maps.patch("traffic-light", { type: "merge", patch: { data: { light } } });
await maps.delete("traffic-light");

for await (const event of maps.watch({ resourceVersion, fieldSelector: "metadata.name=traffic-light" })) {
  if (event.type === "BOOKMARK") continue;
  console.log(event.type, event.object.metadata?.name, event.object.data?.["light"]);
  if (event.type === "DELETED") break; // closes the connection
}

await client.close();
await server.close();

// Prints:
// ADDED traffic-light red
// MODIFIED traffic-light green
// MODIFIED traffic-light yellow
// DELETED traffic-light yellow
