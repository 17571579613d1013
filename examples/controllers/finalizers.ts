// Finalizers: the server keeps a deleted object until every finalizer is removed. This is where cleanup belongs.
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from "kubestream/objects";

const finalizer = "example.com/bucket";
const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
await maps.create({ metadata: { name: "bucket" } });
await addFinalizer(maps, "bucket", finalizer);

await maps.delete("bucket");
const deleted = await maps.get("bucket");
console.log("still there:", hasFinalizer(deleted, finalizer), "being deleted:", isBeingDeleted(deleted));

if (isBeingDeleted(deleted) && hasFinalizer(deleted, finalizer)) {
  console.log("cleaning up outside the cluster");
  await removeFinalizer(maps, "bucket", finalizer);
}
console.log("left:", await maps.getOptional("bucket"));
await client.close();
