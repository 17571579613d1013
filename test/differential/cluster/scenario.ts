// Scenarios: what people do with workloads, as steps that can run on any cluster whose nodes are simulated.
import type { Client } from "../../../src/client/client.js";
import type { ClusterHandles } from "../../../src/cluster/cluster.js";
import type { ImageScripts } from "../../../src/cluster/nodes/containers/images.js";
import type { NodeTemplate } from "../../../src/cluster/nodes/node-agent.js";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../src/kinds/apps/v1.js";
import { HorizontalPodAutoscaler } from "../../../src/kinds/autoscaling/v2.js";
import { CronJob, Job } from "../../../src/kinds/batch/v1.js";
import {
  ConfigMap,
  Endpoints,
  LimitRange,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
  type Taint,
} from "../../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../../src/kinds/policy/v1.js";
import { ResourceClaim, ResourceClaimTemplate } from "../../../src/kinds/resource/v1.js";
import type { Kind } from "../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../src/meta/object.js";

/** Place in which a step runs. */
export interface Stage {
  readonly client: Client;
  readonly cluster: Pick<ClusterHandles, "nodes" | "pods">;
  readonly namespace: string;
}

/** Change of a cluster, and the time that it has before the state is read. */
export interface ScenarioStep {
  readonly title: string;
  readonly run: (stage: Stage) => Promise<unknown>;
  /** Time in milliseconds before the state is read. Default 6,000. */
  readonly waitMs?: number | undefined;
}

/** Steps in a namespace of their own. */
export interface Scenario {
  readonly name: string;
  /** Nodes that only this scenario uses. Their taint `scenario=NAME:NoSchedule` keeps others away. */
  readonly nodes?: number | undefined;
  /** Zone of the first of these nodes: 0 to 2, the next node in the next zone. Default: all are in a zone of their own. */
  readonly firstZone?: number | undefined;
  readonly steps: readonly ScenarioStep[];
}

/** Kinds that steps name. */
const kinds: Readonly<Record<string, Kind<KubernetesObject>>> = Object.fromEntries(
  [
    ConfigMap,
    CronJob,
    DaemonSet,
    Deployment,
    Endpoints,
    HorizontalPodAutoscaler,
    Job,
    LimitRange,
    Node,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    ReplicaSet,
    ReplicationController,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceQuota,
    Service,
    StatefulSet,
  ].map((kind) => [kind.kind, kind as unknown as Kind<KubernetesObject>]),
);

/** Behaviour of the images that scenarios use. */
export const images: ImageScripts = {
  "stay:*": {
    run: async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return 143;
    },
  },
  // Ignores the request to end, until it is killed.
  "stubborn:*": { run: () => new Promise<number>(() => undefined) },
  "unready:*": { probe: ({ type }) => type !== "readiness" },
  "exit-0:*": { run: async ({ sleep }) => (await sleep("1s"), 0) },
  "exit-1:*": { run: async ({ sleep }) => (await sleep("1s"), 1) },
  "exit-3:*": { run: async ({ sleep }) => (await sleep("1s"), 3) },
  "exit-42:*": { run: async ({ sleep }) => (await sleep("1s"), 42) },
  "busy:*": { usage: { cpu: "90m", memory: "50Mi" } },
  "calm:*": { usage: { cpu: "52m", memory: "50Mi" } },
  "idle:*": { usage: { cpu: "1m", memory: "10Mi" } },
  // Fails in the index that the argument names.
  "exit-at:*": {
    run: async ({ args, env, sleep }) => {
      await sleep("1s");
      return args.includes(env["JOB_COMPLETION_INDEX"] ?? "") ? 1 : 0;
    },
  },
};

const commonNodes = 3;

/** Returns the taint that keeps the pods of other scenarios away from a scenario's nodes. */
export function ownTaint(scenario: string): Taint {
  return { key: "scenario", value: scenario, effect: "NoSchedule" };
}

/** Returns the nodes that scenarios need. */
export function nodesOf(scenarios: readonly Scenario[]): NodeTemplate[] {
  const zone = (number: number): string => `zone-${String(number % 3)}`;
  const node = (name: string, ownZone: string, own?: string): NodeTemplate => ({
    name,
    labels: { "topology.kubernetes.io/zone": ownZone, pool: own ?? "common" },
    capacity: { cpu: own === undefined ? "64" : "4", memory: "64Gi", pods: "250" },
    ...(own !== undefined && { taints: [ownTaint(own)] }),
  });
  return [
    ...Array.from({ length: commonNodes }, (_, index) => node(`node-${String(index + 1)}`, zone(index))),
    ...scenarios.flatMap(({ name, nodes = 0, firstZone }) =>
      Array.from({ length: nodes }, (_, index) =>
        node(`${name}-${String(index + 1)}`, firstZone === undefined ? name : zone(firstZone + index), name),
      ),
    ),
  ];
}

/** Returns a step that creates an object. */
export function create(kind: string, name: string, fields: object, waitMs?: number): ScenarioStep {
  return {
    title: `create ${kind} ${name}`,
    waitMs,
    run: ({ client, namespace }) =>
      client
        .resource(kinds[kind]!)
        .namespace(namespace)
        .create({ metadata: { name }, ...fields } as KubernetesObject),
  };
}

/** Returns a step that changes an object with a merge patch. */
export function patch(kind: string, name: string, fields: object, waitMs?: number): ScenarioStep {
  return {
    title: `patch ${kind} ${name} with ${JSON.stringify(fields)}`,
    waitMs,
    run: ({ client, namespace }) =>
      client.resource(kinds[kind]!).namespace(namespace).patch(name, { type: "merge", patch: fields }),
  };
}

/** Returns a step that deletes an object. */
export function remove(
  kind: string,
  name: string,
  options: { propagationPolicy?: "Background" | "Foreground" | "Orphan"; gracePeriodSeconds?: number } = {},
  waitMs?: number,
): ScenarioStep {
  return {
    title: `delete ${kind} ${name} with ${JSON.stringify(options)}`,
    waitMs,
    run: ({ client, namespace }) => client.resource(kinds[kind]!).namespace(namespace).delete(name, options),
  };
}

/** Returns a step that ends the containers of pods. */
export function crash(labels: string, exitCode: number, waitMs?: number): ScenarioStep {
  return {
    title: `crash ${labels} with ${String(exitCode)}`,
    waitMs,
    run: ({ cluster, namespace }) => cluster.pods({ labels, namespace }).crash({ exitCode }),
  };
}

/** Returns a step that runs a function. */
export function act(title: string, run: ScenarioStep["run"], waitMs?: number): ScenarioStep {
  return { title, run, waitMs };
}

/** Returns a pod template with a container. */
export function template(app: string, image = "web:1", spec: object = {}, container: object = {}): object {
  return {
    metadata: { labels: { app } },
    spec: { ...spec, containers: [{ name: "main", image, ...container }] },
  };
}

/** Returns the fields of a workload whose pods have a label `app`. */
export function workload(app: string, spec: object, image = "web:1", pod: object = {}, container: object = {}): object {
  return { spec: { selector: { matchLabels: { app } }, template: template(app, image, pod, container), ...spec } };
}

/** Returns the fields of a workload of web servers. */
export function web(spec: object, image?: string, pod?: object, container?: object): object {
  return workload("web", spec, image, pod, container);
}

/** Returns the fields of a container that requests CPU time. */
export function cpu(amount: string): object {
  return { resources: { requests: { cpu: amount } } };
}

/** Changes nothing for some milliseconds. */
export function wait(ms: number): ScenarioStep {
  return act("wait", () => Promise.resolve(), ms);
}

/** Returns a step that notes a value in a ConfigMap, so that it is compared. */
export function note(name: string, read: (stage: Stage) => Promise<unknown>): ScenarioStep {
  return {
    title: `note ${name}`,
    waitMs: 500,
    run: async (stage) => {
      const value = await read(stage);
      const { client, namespace } = stage;
      await client
        .resource(ConfigMap)
        .namespace(namespace)
        .create({ metadata: { name }, data: { value: JSON.stringify(value) } });
    },
  };
}

/** Returns the fields of a pod that keep it on the nodes of its scenario. */
export function onNodesOf(scenario: string): { nodeSelector: object; tolerations: object[] } {
  return {
    nodeSelector: { pool: scenario },
    tolerations: [{ key: "scenario", value: scenario, effect: "NoSchedule" }],
  };
}

/** Returns a step that changes a node. */
export function patchNode(name: string, fields: object, waitMs?: number): ScenarioStep {
  return {
    title: `patch node ${name} with ${JSON.stringify(fields)}`,
    waitMs,
    run: ({ client }) => client.resource(Node).patch(name, { type: "strategic", patch: fields }),
  };
}

/** Returns the patch of a workload to an image. */
export function image(name: string, container: object = {}): object {
  return { spec: { template: { spec: { containers: [{ name: "main", image: name, ...container }] } } } };
}

/** A readiness probe, which fails in the image `unready`. */
export const readiness = { readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 } };

/** The patch of a workload to an image that never becomes ready. */
export const unready = image("unready:1", readiness);

/** Returns a step that changes the first pod with a label, by name. */
export function patchFirst(labelSelector: string, fields: object, waitMs?: number): ScenarioStep {
  return act(
    `patch the first pod of ${labelSelector} with ${JSON.stringify(fields)}`,
    async ({ client, namespace }) => {
      const pods = client.resource(Pod).namespace(namespace);
      const { items } = await pods.list({ labelSelector });
      const [name] = items.map(({ metadata }) => metadata!.name!).sort();
      await pods.patch(name!, { type: "merge", patch: fields });
    },
    waitMs,
  );
}

/** Returns a step that deletes the first pod with a label, by name. */
export function removeFirst(labelSelector: string, waitMs?: number): ScenarioStep {
  return act(
    `delete the first pod of ${labelSelector}`,
    async ({ client, namespace }) => {
      const pods = client.resource(Pod).namespace(namespace);
      const { items } = await pods.list({ labelSelector });
      await pods.delete(items.map(({ metadata }) => metadata!.name!).sort()[0]!);
    },
    waitMs,
  );
}
