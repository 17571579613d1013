// Differences between two versions of an object as patches, and the owner of each field.
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { createJsonPatch, createMergePatch, fieldOwners } from "kubestream/objects";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const before = await maps.create({ metadata: { name: "diff" }, data: { colour: "blue", size: "small" } });
const after = { ...before, data: { colour: "red" } };

console.log(createMergePatch(before, after));

// `fieldManager` names the writer, and managedFields records who owns each field.
const operations = await createJsonPatch(before, after);
const map = await maps.patch("diff", { type: "json", operations }, { fieldManager: "painter" });
console.log(operations);
for (const { manager, fields } of fieldOwners(map)) console.log(manager, fields);
await maps.delete("diff");
await client.close();
