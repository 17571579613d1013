// Changes of an informer in a `for await` loop: pull instead of handlers, with the old and the new object.
import { createInformer, watchChanges } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
await maps.create({ metadata: { name: "counter", labels: { example: "loop" } }, data: { value: "0" } });
const informer = createInformer(maps, { labelSelector: "example=loop" });

// The loop starts with the objects that exist. A slow body never loses the newest state of an object.
for await (const change of watchChanges(informer)) {
  if (change.type === "deleted") {
    console.log("deleted, last value", change.object.data?.["value"]);
    break;
  }
  const value = Number(change.object.data?.["value"]);
  console.log(change.type, change.type === "updated" ? `${change.old.data?.["value"] ?? ""} to` : "", value);
  if (value === 2) await maps.delete("counter");
  else await maps.update("counter", (map) => void (map.data = { value: String(value + 1) }));
}
await informer.close();
await client.close();
