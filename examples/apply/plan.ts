// Show what an apply would do before it happens, field by field, then apply exactly that.
import { ConfigMap } from "kubestream/kinds/core/v1";
import {
  applyManifests,
  applyPlan,
  formatPlan,
  parseManifests,
  planManifests,
  StalePlanError,
} from "kubestream/manifests";
import { connect } from "kubestream/node";

const client = await connect({ fieldManager: "deploy-tool" });
const web = { namespace: "web" };
const manifest = (replicas: number, image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: web, image: "${image}" }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { replicas: "${replicas}" }
`;
await applyManifests(client, await parseManifests(manifest(1, "shop:1")), web);

const plan = await planManifests(client, await parseManifests(manifest(2, "shop:2")), web);
console.log(formatPlan(plan));

// Another process changes a planned field. The plan no longer holds, and nothing is applied.
const maps = client.resource(ConfigMap).namespace("web");
await maps.patch("settings", { type: "merge", patch: { data: { replicas: "9" } } });
try {
  await applyPlan(client, plan);
} catch (error) {
  if (!(error instanceof StalePlanError)) throw error;
  console.log(error.message);
}

const again = await planManifests(client, await parseManifests(manifest(2, "shop:2")), { ...web, force: true });
for (const { kind, outcome } of await applyPlan(client, again)) console.log(outcome, kind);
await client.close();
