// Garbage collection: an object with an owner reference is deleted after its owner.
import { isDeleted, waitFor } from "kubestream/cache";
import { ConfigMap, Secret } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { getControllerOwner, isOwnedBy, withController } from "kubestream/objects";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const secrets = client.resource(Secret).namespace("default");

const owner = await maps.create({ metadata: { name: "owner" } });
const owned = await secrets.create(withController({ metadata: { name: "owned", namespace: "default" } }, owner));
console.log("controller:", getControllerOwner(owned)?.kind, getControllerOwner(owned)?.name, isOwnedBy(owned, owner));

// Orphan keeps the dependants, Foreground deletes them before the owner. Background is the default.
await maps.delete("owner", { propagationPolicy: "Background" });
await waitFor(secrets, "owned", isDeleted(owned.metadata?.uid), { timeoutMs: 10_000 });
console.log("collected:", (await secrets.getOptional("owned")) === undefined);
await client.close();
