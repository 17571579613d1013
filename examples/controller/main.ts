// A controller for a custom kind: each Website gets a ConfigMap with its page and a Deployment that serves it.
import { defineKindFromCrd, isNotFound } from "kubestream";
import { hasCondition, isDeleted, waitFor } from "kubestream/cache";
import { createController, createEventRecorder, createManager, generationChanged } from "kubestream/controller";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Lease } from "kubestream/kinds/coordination/v1";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { Event } from "kubestream/kinds/events/v1";
import { connect } from "kubestream/node";
import { withController } from "kubestream/objects";

const integer = { type: "integer", minimum: 0 } as const;
const spec = { type: "object", properties: { page: { type: "string" }, replicas: integer } } as const;
const status = { type: "object", properties: { observedGeneration: integer, readyReplicas: integer } } as const;
const schema = { openAPIV3Schema: { type: "object", properties: { spec, status } } } as const;
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "websites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Website", plural: "websites" },
    versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, schema }],
  },
} as const;

// The types of Website are derived from the schema above.
const Website = defineKindFromCrd(crd, "v1");
const client = await connect();
const definitions = client.resource(CustomResourceDefinition);
await definitions.apply(structuredClone(crd) as never, { fieldManager: "website-example" });
await waitFor(definitions, crd.metadata.name, hasCondition("Established"), { timeoutMs: 10_000 });

const events = createEventRecorder({ events: client.resource(Event), controller: "example.com/website" });
const controller = createController({
  name: "website",
  for: client.resource(Website),
  predicates: [generationChanged()],
  owns: [client.resource(ConfigMap), client.resource(Deployment)],
  async reconcile({ namespace, name }, { object: website, signal, recordWrite }) {
    // The garbage collector deletes the objects that a deleted website owned.
    if (website === undefined) return;
    const { page = "", replicas = 1 } = website.spec ?? {};
    const { metadata } = withController({ metadata: { name, namespace } }, website);
    const write = { fieldManager: "website-controller", force: true, signal };
    const maps = client.resource(ConfigMap).namespace(namespace);
    const map = await maps.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "index.html": page } },
      write,
    );
    // The annotation changes with the page, which triggers a new rollout.
    const annotations = { "example.com/page": map.metadata?.resourceVersion ?? "" };
    const volumeMounts = [{ name: "page", mountPath: "/usr/share/nginx/html" }];
    const template = {
      metadata: { labels: { website: name }, annotations },
      spec: {
        containers: [{ name: "web", image: "nginx", volumeMounts }],
        volumes: [{ name: "page", configMap: { name } }],
      },
    };
    const deployments = client.resource(Deployment).namespace(namespace);
    const deployment = await deployments.apply(
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata,
        spec: { replicas, selector: { matchLabels: { website: name } }, template },
      },
      write,
    );
    const observedGeneration = website.metadata?.generation ?? 0;
    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    const statuses = client.resource(Website).namespace(namespace).subresource("status");
    const patch = { status: { observedGeneration, readyReplicas } };
    try {
      recordWrite(map, deployment, await statuses.patch(name, { type: "merge", patch }, { signal }));
    } catch (error) {
      // The website was deleted during this reconcile.
      if (isNotFound(error)) return;
      throw error;
    }
    events.event(website, { reason: "Published", action: "Publish", note: `${page.length} characters` });
  },
});

// A real program ends here with `await manager.run({ signal })` and a signal that aborts on SIGTERM.
const manager = createManager({
  controllers: [controller],
  leaderElection: { leases: client.resource(Lease).namespace("default"), name: "website-example" },
});
manager.start();

const websites = client.resource(Website).namespace("default");
const published = (generation: number) =>
  waitFor(websites, "hello", (found) => found?.status?.observedGeneration === generation, { timeoutMs: 20_000 });
await websites.create({ metadata: { name: "hello" }, spec: { page: "<h1>Hello</h1>" } });
await published(1);
await websites.patch("hello", { type: "merge", patch: { spec: { page: "<h1>Hello again</h1>", replicas: 3 } } });
await published(2);
const served = client.resource(Deployment).namespace("default");
const map = await client.resource(ConfigMap).namespace("default").get("hello");
console.log(`${(await served.get("hello")).spec?.replicas ?? 0} replicas of ${map.data?.["index.html"] ?? ""}`);
await websites.delete("hello");
await waitFor(served, "hello", isDeleted(), { timeoutMs: 20_000 });

await manager.stop();
await manager.done;
await events.close();
const leads = manager.elector?.isLeader === true ? "leading" : "no longer leading";
console.log(`${controller.metrics.reconciles.error} errors, ${events.metrics.failed} events failed, ${leads}`);
await definitions.delete(crd.metadata.name);
await client.close();
