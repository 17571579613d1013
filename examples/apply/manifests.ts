// Apply and delete YAML of any kinds, like `kubectl apply -f` and `kubectl delete -f`.
import { Deployment } from "kubestream/kinds/apps/v1";
import { applyManifests, deleteManifests, formatManifests, parseManifests } from "kubestream/manifests";
import { connect } from "kubestream/node";

const client = await connect({ fieldManager: "deploy-tool" });
const manifests = await parseManifests(
  `
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { team: shop } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, namespace: shop }
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: main, image: "shop:1" }] }
`,
  { source: "shop.yaml" },
);

for (let run = 1; run <= 2; run++)
  for (const { outcome, kind, name } of await applyManifests(client, manifests)) console.log(outcome, kind, name);

const { metadata, spec } = await client.resource(Deployment).namespace("shop").get("shop");
console.log("defaulted replicas:", spec?.replicas);
console.log(
  formatManifests([{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: metadata!.name! } }]).trim(),
);

for (const { outcome, kind, name } of await deleteManifests(client, manifests)) console.log(outcome, kind, name);
await client.close();
