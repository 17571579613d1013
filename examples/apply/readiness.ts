// Applies manifests and waits until everything is ready, with progress; then a rollout that can't succeed.
import { createCluster } from "kubestream/cluster";
import { applyManifests, NotReadyError, parseManifests } from "kubestream/manifests";
import { isReady, readinessOf } from "kubestream/objects";

// A cluster in this process stands in for a real one: `connect()` of kubestream/node works the same.
await using cluster = await createCluster({
  images: { "missing:*": { pull: () => Promise.reject(new Error("manifest unknown")) } },
});
const { client } = cluster;
const shop = (image: string): string => `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 2
  progressDeadlineSeconds: 5
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "${image}" }] }
`;

const outcomes = await applyManifests(client, await parseManifests(shop("web:1")), {
  fieldManager: "deployer",
  wait: { timeoutMs: 60_000 },
});
for (const { kind, name, outcome } of outcomes) console.log(`${kind}/${name}`, outcome, "and ready");

// The old pods stay until the new ones are ready, so the Deployment never is.
try {
  await applyManifests(client, await parseManifests(shop("missing:1")), {
    fieldManager: "deployer",
    wait: { timeoutMs: 60_000, failFast: true },
  });
} catch (error) {
  if (!(error instanceof NotReadyError)) throw error;
  for (const { kind, name, status, reason } of error.objects) console.log(`${kind}/${name}`, status, reason);
}

// The readiness of an object that you already have, of any kind, without a request.
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-0" }, status: { phase: "Pending" } };
console.log(isReady(pod), readinessOf(pod).message);
