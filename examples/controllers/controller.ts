// A controller: each ConfigMap with the label "page" gets a Deployment that serves it.
import { isDeleted, waitFor } from "kubestream/cache";
import { createController, createEventRecorder, createManager } from "kubestream/controller";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Lease } from "kubestream/kinds/coordination/v1";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { Event } from "kubestream/kinds/events/v1";
import { connect } from "kubestream/node";
import { withController } from "kubestream/objects";

const client = await connect();
const events = createEventRecorder({ events: client.resource(Event), controller: "example.com/pages" });
const controller = createController({
  name: "pages",
  for: client.resource(ConfigMap),
  informer: { labelSelector: "page" },
  owns: [client.resource(Deployment)],
  async reconcile({ namespace, name }, { object: page, signal, recordWrite }) {
    // The garbage collector deletes the Deployment of a deleted page.
    if (page === undefined) return;
    const { metadata } = withController({ metadata: { name, namespace } }, page);
    // The annotation changes with the page, which triggers a rollout.
    const annotations = { "example.com/page": page.metadata?.resourceVersion ?? "" };
    const volumes = [{ name: "page", configMap: { name } }];
    const containers = [
      { name: "web", image: "nginx", volumeMounts: [{ name: "page", mountPath: "/usr/share/nginx/html" }] },
    ];
    const template = { metadata: { labels: { page: name }, annotations }, spec: { containers, volumes } };
    const spec = {
      replicas: Number(page.data?.["replicas"] ?? 1),
      selector: { matchLabels: { page: name } },
      template,
    };
    const deployments = client.resource(Deployment).namespace(namespace);
    const desired = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec } as const;
    recordWrite(await deployments.apply(desired, { fieldManager: "pages", force: true, signal }));
    events.event(page, { reason: "Published", action: "Publish" });
  },
});
// Of several processes, the holder of the Lease works. A real program awaits `manager.run({ signal })`.
const leases = client.resource(Lease).namespace("default");
const manager = createManager({ controllers: [controller], leaderElection: { leases, name: "pages" } });
manager.start();

const pages = client.resource(ConfigMap).namespace("default");
const deployments = client.resource(Deployment).namespace("default");
await pages.create({ metadata: { name: "hello", labels: { page: "yes" } }, data: { "index.html": "<h1>Hello</h1>" } });
await waitFor(deployments, "hello", (found) => found?.spec?.replicas === 1, { timeoutMs: 20_000 });
await pages.patch("hello", { type: "merge", patch: { data: { replicas: "3" } } });
const served = await waitFor(deployments, "hello", (found) => found?.spec?.replicas === 3, { timeoutMs: 20_000 });
console.log("replicas:", served?.spec?.replicas, "owner:", served?.metadata?.ownerReferences?.[0]?.kind);
await pages.delete("hello");
await waitFor(deployments, "hello", isDeleted(), { timeoutMs: 20_000 });

await manager.stop();
await manager.done;
await events.close();
console.log("errors:", controller.metrics.reconciles.error, "failed events:", events.metrics.failed);
await client.close();
