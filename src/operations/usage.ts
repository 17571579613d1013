import type { Client } from "../client/client.js";
import { collectionPath } from "../client/resource/paths.js";
import type { Kind } from "../meta/kind.js";
import type { ObjectMeta } from "../meta/object.js";
import type { ListOptions } from "../meta/options.js";
import { addQuantities, formatQuantity, parseQuantity } from "../meta/quantity.js";

/** Resources by name, as `cpu` and `memory`, in quantities. */
export type Usage = Readonly<Record<string, string>>;

/** What a node uses, as the metrics server last measured it. */
export interface NodeMetrics {
  /** Its group and version. */
  apiVersion?: "metrics.k8s.io/v1beta1";
  /** Its kind. */
  kind?: "NodeMetrics";
  /** Name and labels. */
  metadata?: ObjectMeta;
  /** End of the time that was measured. */
  timestamp: string;
  /** How long was measured, as `30s`. */
  window: string;
  /** What was used. */
  usage: Record<string, string>;
}

/** What the containers of a pod use, as the metrics server last measured it. */
export interface PodMetrics {
  /** Its group and version. */
  apiVersion?: "metrics.k8s.io/v1beta1";
  /** Its kind. */
  kind?: "PodMetrics";
  /** Name, namespace and labels. */
  metadata?: ObjectMeta;
  /** End of the time that was measured. */
  timestamp: string;
  /** How long was measured, as `30s`. */
  window: string;
  /** What each container used. */
  containers: { name: string; usage: Record<string, string> }[];
}

/** Metrics of nodes, where a metrics server runs. */
export const NodeMetrics: Kind<NodeMetrics, "Cluster", object, never> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "NodeMetrics",
  plural: "nodes",
  scope: "Cluster",
  custom: true,
};

/** Metrics of pods, where a metrics server runs. */
export const PodMetrics: Kind<PodMetrics, "Namespaced", object, never> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "PodMetrics",
  plural: "pods",
  scope: "Namespaced",
  custom: true,
};

/** What a node uses, and what it has for pods. */
export interface NodeUsage {
  /** Name of the node. */
  readonly name: string;
  /** What it uses; absent where nothing was measured. */
  readonly usage?: Usage;
  /** What it has for pods. */
  readonly allocatable: Usage;
}

/** What a pod uses, and what it asked for. */
export interface PodUsage {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** What its containers use together; absent where nothing was measured. */
  readonly usage?: Usage;
  /** What its containers request together. */
  readonly requests: Usage;
  /** What its containers are limited to together; of what one has no limit, the others' sum. */
  readonly limits: Usage;
}

/** What nodes use beside what they have, as `kubectl top nodes` shows it. Rejects with a `StatusError` where no metrics server runs. */
export async function topNodes(client: Pick<Client, "request">, options: UsageOptions = {}): Promise<NodeUsage[]> {
  const [metrics, nodes] = await Promise.all([
    listAt<NodeMetrics>(client, collectionPath(NodeMetrics), options),
    listAt<{ metadata: ObjectMeta; status?: { allocatable?: Usage } }>(
      client,
      collectionPath({ ...NodeMetrics, ...core }),
      options,
    ),
  ]);
  const used = new Map(metrics.map(({ metadata, usage }) => [metadata?.name, usage]));
  return nodes.map(({ metadata, status }) => {
    const usage = used.get(metadata.name);
    return { name: metadata.name ?? "", ...(usage && { usage }), allocatable: status?.allocatable ?? {} };
  });
}

/** What pods use beside what they ask for, as `kubectl top pods` shows it. Rejects with a `StatusError` where no metrics server runs. */
export async function topPods(
  client: Pick<Client, "request">,
  options: UsageOptions & { readonly namespace?: string } = {},
): Promise<PodUsage[]> {
  const { namespace, ...rest } = options;
  const [metrics, pods] = await Promise.all([
    listAt<PodMetrics>(client, collectionPath(PodMetrics, namespace), rest),
    listAt<PodLike>(client, collectionPath({ ...PodMetrics, ...core }, namespace), rest),
  ]);
  const used = new Map(
    metrics.map(({ metadata, containers }) => [
      `${metadata?.namespace}/${metadata?.name}`,
      sum(containers.map(({ usage }) => usage)),
    ]),
  );
  return pods.map(({ metadata, spec }) => {
    const usage = used.get(`${metadata.namespace}/${metadata.name}`);
    const resources = (spec?.containers ?? []).map((container) => container.resources ?? {});
    return {
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
      ...(usage && { usage }),
      requests: sum(resources.map(({ requests = {} }) => requests)),
      limits: sum(resources.map(({ limits = {} }) => limits)),
    };
  });
}

/** What selects the objects of `topNodes` and `topPods`. */
export type UsageOptions = Pick<ListOptions, "labelSelector" | "signal" | "timeoutMs">;

/** Nodes and pods themselves have the same names in URLs. */
const core = { group: "", version: "v1" };

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly containers?: readonly { readonly resources?: { readonly requests?: Usage; readonly limits?: Usage } }[];
  };
}

async function listAt<T>(
  client: Pick<Client, "request">,
  path: string,
  { labelSelector, ...request }: UsageOptions,
): Promise<T[]> {
  const response = await client.request({
    path,
    ...(labelSelector !== undefined && { query: { labelSelector } }),
    ...request,
  });
  return ((await response.json()) as { items?: T[] }).items ?? [];
}

function sum(all: readonly Usage[]): Usage {
  const total: Record<string, string> = {};
  for (const one of all) {
    for (const [name, amount] of Object.entries(one)) {
      const before = total[name];
      total[name] =
        before === undefined ? amount : formatQuantity(addQuantities(parseQuantity(before), parseQuantity(amount)));
    }
  }
  return total;
}
