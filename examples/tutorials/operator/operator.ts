// The operator: a Deployment and a Service for each Website.
import { type Client, type DeepReadonly, isNotFound } from "kubestream";
import {
  createController,
  createEventRecorder,
  createManager,
  generationChanged,
  type Manager,
} from "kubestream/controller";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Lease } from "kubestream/kinds/coordination/v1";
import { Service } from "kubestream/kinds/core/v1";
import { Event } from "kubestream/kinds/events/v1";
import {
  addFinalizer,
  findCondition,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  setCondition,
  withController,
} from "kubestream/objects";
import { Website } from "./website.js";

const finalizer = "example.com/unpublish";
const fieldManager = "website-operator";

export interface OperatorOptions {
  readonly client: Client;
  /** Namespace of the operator itself: its Lease lives there. */
  readonly namespace: string;
  /** Removes a host from the public DNS. Runs before a Website disappears, and more than once if a run fails. */
  readonly unpublish: (host: string, signal: AbortSignal) => Promise<void>;
}

export function createOperator({ client, namespace: home, unpublish }: OperatorOptions): Manager {
  const events = createEventRecorder({ events: client.resource(Event), controller: "example.com/website-operator" });

  const controller = createController({
    name: "website",
    for: client.resource(Website),
    predicates: [generationChanged()],
    owns: [client.resource(Deployment), client.resource(Service)],
    async reconcile({ namespace, name }, { object: website, signal, recordWrite }) {
      if (website === undefined) return;
      const websites = client.resource(Website).namespace(namespace);
      if (isBeingDeleted(website)) {
        if (!hasFinalizer(website, finalizer)) return;
        await unpublish(website.spec.host, signal);
        await removeFinalizer(websites, name, finalizer, { signal }).catch(ignoreNotFound);
        return;
      }
      if (!hasFinalizer(website, finalizer)) recordWrite(await addFinalizer(websites, name, finalizer, { signal }));

      const labels = { "app.kubernetes.io/name": "website", "app.kubernetes.io/instance": name };
      const { metadata } = withController({ metadata: { name, namespace, labels } }, website);
      const write = { fieldManager, force: true, signal };
      const deployment = await client
        .resource(Deployment)
        .namespace(namespace)
        .apply({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec: deploymentSpec(website, labels) }, write);
      const service = await client
        .resource(Service)
        .namespace(namespace)
        .apply(
          { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: 80 }] } },
          write,
        );
      recordWrite(deployment, service);

      const readyReplicas = deployment.status?.readyReplicas ?? 0;
      // Only this controller's condition: an apply owns what it sends.
      const before = findCondition(website.status?.conditions, "Ready");
      const conditions = setCondition(before && [before], readyCondition(website, readyReplicas));
      const identity = { apiVersion: "example.com/v1", kind: "Website", metadata: { name } } as const;
      const status = { readyReplicas, conditions };
      await websites
        .subresource("status")
        .apply({ ...identity, status }, write)
        .catch(ignoreNotFound);
      if (conditions[0]?.status === "True" && before?.status !== "True")
        events.event(website, { reason: "Published", action: "Publish", note: `${website.spec.host} is up` });
    },
  });

  return createManager({
    controllers: [controller],
    runnables: [{ name: "events", run: ({ signal }) => untilAborted(signal).then(() => events.close()) }],
    leaderElection: { leases: client.resource(Lease).namespace(home), name: "website-operator" },
  });
}

function deploymentSpec({ spec }: DeepReadonly<Website>, labels: Record<string, string>) {
  const containers = [{ name: "web", image: spec.image, ports: [{ containerPort: 80 }] }];
  const template = { metadata: { labels }, spec: { containers } };
  return { replicas: spec.replicas ?? 1, selector: { matchLabels: labels }, template };
}

function readyCondition(website: DeepReadonly<Website>, replicas: number) {
  const wanted = website.spec.replicas ?? 1;
  const ready = replicas >= wanted;
  return {
    type: "Ready",
    status: ready ? "True" : "False",
    reason: ready ? "AllReplicasReady" : "WaitingForReplicas",
    message: `${replicas} of ${wanted} replicas are ready`,
    observedGeneration: website.metadata?.generation,
  } as const;
}

/** The Website was deleted during this run. */
const ignoreNotFound = (error: unknown): void => {
  if (!isNotFound(error)) throw error;
};

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
