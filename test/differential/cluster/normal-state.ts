// The state of a namespace in a form that two clusters share: without names that were generated, times and places.
import type { Endpoints, PersistentVolumeClaim, Pod } from "../../../src/kinds/core/v1.js";
import type { Endpoint, EndpointSlice } from "../../../src/kinds/discovery/v1.js";
import type { ResourceClaim } from "../../../src/kinds/resource/v1.js";
import type { KubernetesObject } from "../../../src/meta/object.js";

/** Fields whose values each cluster makes itself. */
const generated = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "allocationTimestamp",
  "managedFields",
  "namespace",
  "nodeName",
  "podIP",
  "podIPs",
  "hostIP",
  "hostIPs",
  "nodePort",
  "healthCheckNodePort",
  "shareID",
  "startTime",
  "startedAt",
  "finishedAt",
  "completionTime",
  "lastTransitionTime",
  "lastPhaseTransitionTime",
  "lastUpdateTime",
  "lastProbeTime",
  "lastHeartbeatTime",
  "endpoints.kubernetes.io/last-change-trigger-time",
  "lastScheduleTime",
  "lastSuccessfulTime",
  "batch.kubernetes.io/cronjob-scheduled-timestamp",
  "lastScaleTime",
  "containerID",
  "imageID",
  "controller-uid",
  "batch.kubernetes.io/controller-uid",
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "zone",
  // kwok's nodes have no containers.
  "volumes",
  "volumeMounts",
]);

/** Returns true if nothing is on its way with an object. */
export function isSettled(kind: string, object: KubernetesObject): boolean {
  if (object.metadata?.deletionTimestamp !== undefined) return false;
  return (kind !== "Pod" || isSettledPod(object as Pod)) && isObserved(kind, object) && isRolledOut(kind, object);
}

interface Progress {
  readonly spec?: { readonly replicas?: number };
  readonly status?: Readonly<Record<string, number | string | undefined>> & {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Returns true for a workload that has reached what its spec wants, as every workload of a history does. */
function isRolledOut(kind: string, object: KubernetesObject): boolean {
  const { spec, status } = object as Progress;
  const wanted = spec?.replicas ?? 1;
  const has = (field: string): unknown => status?.[field] ?? 0;
  switch (kind) {
    case "Deployment":
      return ["replicas", "updatedReplicas", "availableReplicas"].every((field) => has(field) === wanted);
    case "StatefulSet":
      return (
        ["replicas", "updatedReplicas", "availableReplicas"].every((field) => has(field) === wanted) &&
        has("currentRevision") === has("updateRevision")
      );
    case "DaemonSet":
      return ["updatedNumberScheduled", "numberAvailable"].every(
        (field) => has(field) === has("desiredNumberScheduled"),
      );
    case "Job":
      return status?.conditions?.some(({ type }) => type === "Complete" || type === "Failed") === true;
    default:
      return true;
  }
}

function isSettledPod({ metadata, status }: Pod): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  return status?.phase === "Running" && isReady && metadata?.labels?.["job-name"] === undefined;
}

/** Kinds whose status says which generation it describes. */
const observing = new Set(["DaemonSet", "Deployment", "PodDisruptionBudget", "ReplicaSet", "StatefulSet"]);

function isObserved(kind: string, object: KubernetesObject): boolean {
  const { observedGeneration } = (object as { status?: { observedGeneration?: number } }).status ?? {};
  return !observing.has(kind) || observedGeneration === object.metadata?.generation;
}

/** Returns true if the pods of a workload, which has the label `app` of its name, are as many as its status says. */
export function hasItsPods(kind: string, object: KubernetesObject, pods: readonly Pod[]): boolean {
  if (kind !== "Deployment" && kind !== "StatefulSet" && kind !== "DaemonSet") return true;
  const { replicas, desiredNumberScheduled } = (object as Progress).status ?? {};
  const own = pods.filter(({ metadata }) => metadata?.labels?.["app"] === object.metadata?.name);
  return own.length === (desiredNumberScheduled ?? replicas ?? 0);
}

/** Differences that are intended: kwok writes less into the status of a pod than a kubelet, whose rules ours follow. */
export function comparable(kind: string, object: KubernetesObject): unknown {
  if (kind === "ReplicaSet") return withoutGeneration(object);
  if (kind !== "Pod") return object;
  const { status, ...rest } = object as Pod;
  // A drain evicts what has ended, too, and each cluster chooses the nodes itself.
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return undefined;
  const conditions = status?.conditions?.filter(({ type }) => type === "Ready" || type === "DisruptionTarget");
  return {
    ...rest,
    status: {
      phase: status?.phase,
      qosClass: status?.qosClass,
      conditions: conditions?.map(({ type, status: value, reason }) => ({ type, status: value, reason })),
      containers: status?.containerStatuses?.map(({ name, ready, restartCount }) => ({ name, ready, restartCount })),
    },
  };
}

/** The number of changes of a ReplicaSet depends on the pace of a rollout. */
function withoutGeneration(object: KubernetesObject): unknown {
  const { generation: _, ...metadata } = object.metadata ?? {};
  const { observedGeneration: _observed, ...status } = (object as Progress).status ?? {};
  return { ...object, metadata, status };
}

/** Conditions keep the message of the first refusal by a quota, which may or may not count a pod that ends. */
function withoutUsed(object: unknown): unknown {
  return JSON.parse(JSON.stringify(object).replace(/, used: [^"\\]*?, limited:/g, ", limited:"));
}

/** Leaves out of a random scenario what depends on the pace, or on which of equal objects comes first. */
export function withoutPace(kind: string, object: KubernetesObject): unknown {
  switch (kind) {
    case "ReplicaSet":
      return withoutUsed(withoutGeneration(object));
    case "Deployment":
    case "ReplicationController":
      return withoutUsed(object);
    case "Pod": {
      // Which node of a DaemonSet is updated first.
      const { spec: { affinity: _, ...spec } = {} as NonNullable<Pod["spec"]>, status, ...rest } = object as Pod;
      return { ...rest, spec, status: (spec.resourceClaims ?? []).length > 0 ? withoutNodes(status) : status };
    }
    case "ResourceClaim":
      return withoutDevices(object as ResourceClaim);
    case "EndpointSlice":
      return withHintCounts(inOrder(kind, object) as EndpointSlice);
    case "PersistentVolume":
      return undefined;
    case "PersistentVolumeClaim": {
      const { spec: { volumeName: _, ...spec } = {} } = object as PersistentVolumeClaim;
      return { ...object, spec };
    }
    default:
      return inOrder(kind, object);
  }
}

/** Other histories change nodes while a pod waits for devices, so only the reason that concerns devices is compared. */
function withoutNodes(status: Pod["status"]): unknown {
  const reasonOf = (message: string): string =>
    /^\d+\/\d+ nodes are available: /.test(message)
      ? (/cannot allocate all claims|resourceclaim not available on the node|waiting for resource claims/.exec(
          message,
        )?.[0] ?? "no node")
      : message;
  const conditions = status?.conditions?.map(({ message, ...rest }) => ({
    ...rest,
    ...(message !== undefined && { message: reasonOf(message) }),
  }));
  return { ...status, conditions };
}

/** The devices of each of several equal pods depend on their order. */
function withoutDevices({ status = {}, ...rest }: ResourceClaim): unknown {
  const { allocation, ...others } = status;
  if (allocation === undefined) return { ...rest, status };
  const results = allocation.devices?.results?.map(({ device: _, pool: _pool, ...result }) => result);
  return { ...rest, status: { ...others, allocation: { ...allocation, devices: { results }, nodeSelector: {} } } };
}

/** Returns a slice with the number of hints for other zones: upstream distributes them in the order of a hash. */
function withHintCounts(slice: EndpointSlice): unknown {
  if (slice.endpoints === undefined) return slice;
  const kindOf = ({ hints, zone }: Endpoint): string =>
    hints === undefined
      ? "none"
      : `${hints.forNodes === undefined ? "" : "node, "}${(hints.forZones ?? []).every(({ name }) => name === zone) ? "own zone" : "other zone"}`;
  const hints = slice.endpoints.map(kindOf).sort();
  return { ...slice, hints, endpoints: slice.endpoints.map(({ hints: _, ...rest }) => rest) };
}

/** Most endpoints of a slice that are compared one by one. */
const comparedEndpoints = 100;

/** Returns the endpoints of a Service with their lists in order, because upstream's have that of a hash. */
export function inOrder(kind: string, object: KubernetesObject): KubernetesObject {
  if (kind === "Endpoints") {
    const { subsets = [], ...rest } = object as Endpoints;
    const ordered = subsets.map(({ ports = [], ...subset }) => ({ ...subset, ports: sort(ports) }));
    return { ...rest, subsets: sort(ordered) } as object;
  }
  if (kind !== "EndpointSlice") return object;
  const slice = object as EndpointSlice;
  // Lists without elements are null.
  const [ports, endpoints] = [slice.ports ?? [], slice.endpoints ?? []];
  // Which addresses remain of too many depends on the order, too.
  const shown = endpoints.length > comparedEndpoints ? { count: endpoints.length } : { endpoints: sort(endpoints) };
  // The number of changes depends on the pace.
  const { generation: _, ...metadata } = slice.metadata ?? {};
  return { ...slice, metadata, endpoints: null, ports: sort(ports), ...shown } as object;
}

function sort<T>(list: readonly T[]): T[] {
  const key = (each: T): string => JSON.stringify(normal(each)).replace(/"10\.244\.\d+\.\d+"/g, "");
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Returns a value without what is generated, with sorted members. */
export function normal(value: unknown): unknown {
  if (typeof value === "string") return withoutSuffixes(value);
  if (Array.isArray(value)) return sorted(value.map(normal));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => !generated.has(name) && member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]) => [name, normal(member)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Conditions and the like come in the order in which they arose. */
function sorted(list: readonly unknown[]): readonly unknown[] {
  const isNamed = list.every((each) => typeof each === "object" && each !== null && ("type" in each || "key" in each));
  return isNamed ? [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list;
}

/** Replaces the hashes and random parts of generated names. */
function withoutSuffixes(text: string): string {
  return text
    .replace(/-own-[0-9bcdf-hj-np-tv-z]{5}\b/g, "-own-*")
    .replace(
      /\b(deployment|daemonset|statefulset|job)(-[0-9bcdf-hj-np-tv-z]{6,10})?(-\d+)?-[0-9bcdf-hj-np-tv-z]{5}\b/g,
      "$1$3-*",
    )
    .replace(/\b(deployment|daemonset|statefulset)-[0-9bcdf-hj-np-tv-z]{6,10}\b/g, "$1-*");
}
