// Server state in tests: start from manifests, wait until the server's controllers are done, compare what is stored.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { withOwner } from "kubestream/objects";

const server = createApiServer();
await server.load(`
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: parent, namespace: shop }
`);
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("shop");
const stored = () => server.dump({ namespace: "shop", kinds: ["ConfigMap"] }).map(({ metadata }) => metadata?.name);
await server.settled();
const snapshot = server.snapshot();

const parent = await maps.get("parent");
await maps.create(
  withOwner({ metadata: { name: "child", namespace: "shop" } }, { ...parent, apiVersion: "v1", kind: "ConfigMap" }),
);
console.log(stored());
await maps.delete("parent");
await server.settled(); // the garbage collector has deleted the child
console.log(stored());

// A fresh state for the next test, in milliseconds.
server.restore(snapshot);
console.log(stored());
console.log(
  server
    .dumpYaml({ namespace: "shop", kinds: ["ConfigMap"] })
    .split("\n", 2)
    .join("; "),
);

// A second server with the same contents.
const copy = createApiServer();
console.log((await copy.load(server.dump())) === copy.dump().length);
await copy.close();
await client.close();
await server.close();
