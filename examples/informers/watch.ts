// A watch without a cache: raw events from a resourceVersion on. Most programs want an informer, which also recovers.
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const { metadata } = await maps.list({ labelSelector: "example=watch" });

const labels = { example: "watch" };
await maps.create({ metadata: { name: "watched", labels }, data: { colour: "blue" } });
await maps.patch("watched", { type: "merge", patch: { data: { colour: "red" } } });
await maps.delete("watched");

// Starts after the list, so it sees all three writes although they happened before the watch.
const watch = maps.watch({
  labelSelector: "example=watch",
  resourceVersion: metadata.resourceVersion ?? "",
  allowWatchBookmarks: true,
});
for await (const event of watch) {
  // A bookmark carries a resourceVersion and no object: resume from it after a disconnect.
  if (event.type === "BOOKMARK") continue;
  console.log(event.type, event.object.metadata?.name, event.object.data?.["colour"]);
  if (event.type === "DELETED") break; // ends the request
}
await client.close();
