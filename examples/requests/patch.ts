// The three patch types. A strategic merge patch merges lists by key, a merge patch replaces them, a JSON patch lists operations.
import { Deployment } from "kubestream/kinds/apps/v1";
import { connect } from "kubestream/node";
import { createJsonPatch } from "kubestream/objects";

const client = await connect();
const deployments = client.resource(Deployment).namespace("default");
const labels = { app: "patched" };
const deployment = await deployments.create({
  metadata: { name: "patched" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
});
const images = (found: Deployment) =>
  found.spec?.template.spec?.containers.map(({ name, image }) => `${name}=${image}`);

const sidecar = { name: "proxy", image: "proxy:1" };
const merged = await deployments.patch("patched", {
  type: "strategic",
  patch: { spec: { template: { spec: { containers: [sidecar] } } } },
});
console.log("strategic:", images(merged)?.sort());

const replaced = await deployments.patch("patched", {
  type: "merge",
  patch: { spec: { template: { spec: { containers: [{ name: "main", image: "web:2" }] } } } },
});
console.log("merge:", images(replaced));

// Computes the operations from two versions, with tests that make the patch fail if the values changed in between.
const operations = await createJsonPatch(deployment, { ...deployment, spec: { ...deployment.spec!, replicas: 3 } });
console.log("json:", operations.map(({ op, path }) => `${op} ${path}`).join(", "));
const scaled = await deployments.patch("patched", { type: "json", operations });
console.log("replicas:", scaled.spec?.replicas);
await deployments.delete("patched");
await client.close();
