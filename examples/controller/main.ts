// A controller of a kind of your own: each Website gets a ConfigMap with its page and a Deployment that serves it.
import { defineKind, isNotFound } from "kubestream";
import { waitFor } from "kubestream/cache";
import {
  createController,
  createEventRecorder,
  createManager,
  generationChanged,
  TerminalError,
} from "kubestream/controller";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Lease } from "kubestream/kinds/coordination/v1";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { Event } from "kubestream/kinds/events/v1";
import { connect } from "kubestream/node";
import { withController } from "kubestream/objects";

interface WebsiteSpec {
  page: string;
  replicas?: number;
}
interface WebsiteStatus {
  observedGeneration?: number;
  readyReplicas?: number;
}
const Website = defineKind<WebsiteSpec, WebsiteStatus>()({
  group: "example.com",
  version: "v1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
});

const client = await connect();
const { group, version, kind, plural, scope } = Website;
const definitions = client.resource(CustomResourceDefinition);
const properties = {
  spec: {
    type: "object",
    required: ["page"],
    properties: { page: { type: "string" }, replicas: { type: "integer", minimum: 0 } },
  },
  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
await definitions.apply(
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties } },
        },
      ],
    },
  },
  { fieldManager: "website-example" },
);
await waitFor(
  definitions,
  `${plural}.${group}`,
  (definition) =>
    definition?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false,
  { timeoutMs: 10_000 },
);

const events = createEventRecorder({ events: client.resource(Event), controller: "example.com/website" });
const by = { fieldManager: "website-controller", force: true };

const controller = createController({
  name: "website",
  for: client.resource(Website),
  predicates: [generationChanged()],
  owns: [client.resource(ConfigMap), client.resource(Deployment)],
  async reconcile({ namespace = "", name }, { object: website, signal, recordWrite }) {
    // What it owned goes with it: the owner references see to that.
    if (website === undefined) return;
    const { page = "", replicas = 1 } = website.spec ?? {};
    if (page === "") {
      events.event(website, { type: "Warning", reason: "NoPage", action: "Publish", note: "a website needs a page" });
      throw new TerminalError("spec.page is empty");
    }
    const { metadata } = withController({ metadata: { name, namespace } }, website);
    const map = await client
      .resource(ConfigMap)
      .namespace(namespace)
      .apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "index.html": page } }, { ...by, signal });
    const deployment = await client
      .resource(Deployment)
      .namespace(namespace)
      .apply(
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata,
          spec: {
            replicas,
            selector: { matchLabels: { website: name } },
            template: {
              // Another page makes other pods.
              metadata: {
                labels: { website: name },
                annotations: { "example.com/page": map.metadata?.resourceVersion ?? "" },
              },
              spec: {
                containers: [
                  { name: "web", image: "nginx", volumeMounts: [{ name: "page", mountPath: "/usr/share/nginx/html" }] },
                ],
                volumes: [{ name: "page", configMap: { name } }],
              },
            },
          },
        },
        { ...by, signal },
      );
    const status = {
      observedGeneration: website.metadata?.generation ?? 0,
      readyReplicas: deployment.status?.readyReplicas ?? 0,
    };
    try {
      recordWrite(
        map,
        deployment,
        await client
          .resource(Website)
          .namespace(namespace)
          .subresource("status")
          .patch(name, { type: "merge", patch: { status } }, { signal }),
      );
    } catch (error) {
      // Deleted since this run began: nobody is left to tell.
      if (isNotFound(error)) return;
      throw error;
    }
    events.event(website, { reason: "Published", action: "Publish", note: `${page.length} characters` });
  },
});

// In a cluster this is the whole program: await manager.run({ signal }), with a signal that fires on SIGTERM.
const manager = createManager({
  controllers: [controller],
  leaderElection: { leases: client.resource(Lease).namespace("default"), name: "website-example" },
});
manager.start();

// Somebody uses it.
const websites = client.resource(Website).namespace("default");
const published = (generation: number) =>
  waitFor(websites, "hello", (website) => website?.status?.observedGeneration === generation, { timeoutMs: 20_000 });
await websites.create({ metadata: { name: "hello" }, spec: { page: "<h1>Hello</h1>" } });
await published(1);
await websites.patch("hello", { type: "merge", patch: { spec: { page: "<h1>Hello again</h1>", replicas: 3 } } });
await published(2);
const deployment = await client.resource(Deployment).namespace("default").get("hello");
const map = await client.resource(ConfigMap).namespace("default").get("hello");
console.log(`${deployment.spec?.replicas ?? 0} replicas of ${map.data?.["index.html"] ?? ""}`);
await websites.delete("hello");
await waitFor(client.resource(Deployment).namespace("default"), "hello", (object) => object === undefined, {
  timeoutMs: 20_000,
});
while (controller.metrics.queue.depth + controller.metrics.active > 0)
  await new Promise((resolve) => setTimeout(resolve, 20));

await manager.stop();
await manager.done;
await events.close();
console.log(
  `${controller.metrics.reconciles.error} errors, ${events.metrics.failed} events failed, ${manager.elector?.isLeader === true ? "leads" : "leads no more"}`,
);
await definitions.delete(`${plural}.${group}`);
await client.close();
