// Apply a set of manifests and prune what is no longer part of it, like `kubectl apply --prune --applyset`.
import { Secret } from "kubestream/kinds/core/v1";
import { applySet, parseManifests } from "kubestream/manifests";
import { connect } from "kubestream/node";

const client = await connect({ fieldManager: "deploy-tool" });
// The parent of the set: applySet creates this Secret and records in it which kinds the set contains.
const secrets = client.resource(Secret).namespace("web");

async function deploy(yaml: string): Promise<void> {
  const manifests = await parseManifests(yaml, { source: "shop.yaml" });
  const outcomes = await applySet(client, manifests, { parent: { name: "shop", namespace: "web" }, namespace: "web" });
  for (const { kind, name, outcome } of outcomes) console.log(outcome, kind, name);
}

await deploy(`
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: blue }
---
apiVersion: v1
kind: Service
metadata: { name: shop }
spec: { selector: { app: shop }, ports: [{ port: 80 }] }
`);
console.log("--- without the service");
await deploy(`
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: red }
`);
console.log("--- empty");
await deploy("");
await secrets.delete("shop");
await client.close();
