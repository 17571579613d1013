// Controller: keeps a Secret for each ConfigMap with the label "copy".
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { waitFor } from "kubestream/cache";
import { createController } from "kubestream/controller";
import { ConfigMap, Secret } from "kubestream/kinds/core/v1";
import { withController } from "kubestream/objects";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");
const secrets = client.resource(Secret).namespace("default");

const controller = createController({
  name: "copy",
  for: client.resource(ConfigMap),
  informer: { labelSelector: "copy=yes" },
  owns: [client.resource(Secret)],
  async reconcile({ name, namespace }, { object, signal, recordWrite }) {
    if (object === undefined) return; // deleted: its Secret is garbage
    const { metadata } = withController({ metadata: { name, namespace } }, object);
    const secret = await secrets.apply(
      { apiVersion: "v1", kind: "Secret", metadata, stringData: { ...object.data } },
      { fieldManager: "copy", force: true, signal },
    );
    recordWrite(secret); // the next run waits until the cache has seen this write
  },
});
controller.start();

await maps.create({ metadata: { name: "settings", labels: { copy: "yes" } }, data: { color: "blue" } });
const made = await waitFor(secrets, "settings", (found) => found !== undefined, { timeoutMs: 60_000 });
console.log("secret:", atob(made?.data?.["color"] ?? ""), "owned by", made?.metadata?.ownerReferences?.[0]?.kind);

// Someone deletes the Secret. The controller owns it and makes it again.
await secrets.delete("settings");
await waitFor(secrets, "settings", (found) => found?.metadata?.uid !== made?.metadata?.uid && found !== undefined, {
  timeoutMs: 60_000,
});
console.log("the secret is back");

// Without its owner the server's garbage collector removes it.
await maps.delete("settings");
await waitFor(secrets, "settings", (found) => found === undefined, { timeoutMs: 60_000 });
console.log("the secret went with its owner");

await controller.stop();
await client.close();
await server.close();

// Prints:
// secret: blue owned by ConfigMap
// the secret is back
// the secret went with its owner
