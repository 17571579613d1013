// Server-side apply: each field has a field manager, and a second one that sets another value gets a conflict.
import { isConflict, StatusError } from "kubestream";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "apply-example" } } as const;

await maps.apply({ ...settings, data: { colour: "blue", size: "small" } }, { fieldManager: "designer" });
try {
  await maps.apply({ ...settings, data: { colour: "red" } }, { fieldManager: "painter" });
} catch (error) {
  if (!isConflict(error) || !(error instanceof StatusError)) throw error;
  for (const cause of error.details?.causes ?? []) console.log("conflict:", cause.field, cause.message);
}
const forced = await maps.apply({ ...settings, data: { colour: "red" } }, { fieldManager: "painter", force: true });
console.log(forced.data);
for (const entry of forced.metadata?.managedFields ?? [])
  console.log(entry.manager, Object.keys(entry.fieldsV1?.["f:data"] ?? {}).join(" "));
await maps.delete("apply-example");
await client.close();
