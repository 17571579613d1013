// Delete many objects: all that match a selector, in pages, or with their dependents first.
import { isDeleted, waitFor } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { ownerReference } from "kubestream/objects";
import { deleteCollectionPages } from "kubestream/operations";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
for (let index = 0; index < 7; index++)
  await maps.create({ metadata: { name: `old-${String(index)}`, labels: { generation: "old" } } });

// One request per page keeps each of them short in a large collection.
let deleted = 0;
for await (const page of deleteCollectionPages(maps, { labelSelector: "generation=old", limit: 3 }))
  deleted += page.items.length;
console.log(deleted, "deleted");

// Foreground: the owner stays, marked as being deleted, until its blocking dependents are gone.
const owner = await maps.create({ metadata: { name: "owner" } });
const ownerReferences = [ownerReference(owner, { blockOwnerDeletion: true })];
await maps.create({ metadata: { name: "dependent", ownerReferences } });
await maps.delete("owner", { propagationPolicy: "Foreground" });
await waitFor(maps, "owner", isDeleted(owner.metadata?.uid), { timeoutMs: 10_000 });
console.log("dependents left:", (await maps.list({ fieldSelector: "metadata.name=dependent" })).items.length);
await client.close();
