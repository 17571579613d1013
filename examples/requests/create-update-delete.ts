// Create, read, update and delete one object. `update` with a function reads, changes and writes, and retries on conflict.
import { isNotFound } from "kubestream";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");

const created = await maps.create({ metadata: { name: "settings" }, data: { colour: "blue" } });
console.log("created", created.metadata?.name, created.data);

const updated = await maps.update("settings", (map) => {
  map.data = { ...map.data, size: "small" };
});
console.log("updated", updated.data);

// Deletes only if the object is still the one that was read.
const preconditions = { uid: updated.metadata?.uid ?? "" };
await maps.delete("settings", { preconditions });
console.log("left:", await maps.getOptional("settings"));
try {
  await maps.get("settings");
} catch (error) {
  if (!isNotFound(error)) throw error;
  console.log(error.code, error.reason);
}
await client.close();
