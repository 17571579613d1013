import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { getControllerOwner } from "../../objects/owner-references.js";

/** States of a pod, in the order in which a row shows them. `outdated` pods are ready and of an older revision. */
export const podStates = ["ready", "outdated", "starting", "failing", "stopping", "done"] as const;

/** State of a pod. */
export type PodState = (typeof podStates)[number];

/** Pods of a workload. */
export interface BoardRow {
  /** Namespace and name of the workload, such as `shop/web`. */
  readonly name: string;
  /** Image of the newest revision. */
  readonly image: string;
  /** Number of pods in each state. */
  readonly counts: Readonly<Record<PodState, number>>;
  /** Number of pods. */
  readonly total: number;
}

/** Counts pods by workload and state. */
export interface Board {
  /** Adds a pod. */
  add(pod: DeepReadonly<Pod>): void;
  /** Removes a pod as it was when it was added. */
  remove(pod: DeepReadonly<Pod>): void;
  /** Number of pods. */
  readonly total: number;
  /** Rows by size, largest first. */
  rows(): BoardRow[];
}

/** Pods of one revision of a workload. */
interface Revision {
  /** Time at which the first of them that was seen was created. */
  readonly created: string;
  readonly image: string;
  ready: number;
  total: number;
}

interface Workload {
  readonly revisions: Map<string, Revision>;
  /** Pods that aren't ready. */
  readonly others: Map<PodState, number>;
}

/** Creates an empty board. */
export function createBoard(): Board {
  const workloads = new Map<string, Workload>();
  let total = 0;
  const change = (pod: DeepReadonly<Pod>, by: 1 | -1): void => {
    const name = workloadOf(pod);
    const workload: Workload = workloads.get(name) ?? { revisions: new Map(), others: new Map() };
    workloads.set(name, workload);
    const { revisions, others } = workload;
    const key = revisionOf(pod);
    const revision = revisions.get(key) ?? newRevision(pod);
    revisions.set(key, revision);
    const state = stateOf(pod);
    if (state === "ready") revision.ready += by;
    else others.set(state, (others.get(state) ?? 0) + by);
    revision.total += by;
    total += by;
    if (revision.total === 0) revisions.delete(key);
    if (revisions.size === 0) workloads.delete(name);
  };
  return {
    add: (pod) => change(pod, 1),
    remove: (pod) => change(pod, -1),
    get total() {
      return total;
    },
    rows: () =>
      [...workloads]
        .map(([name, workload]) => rowOf(name, workload))
        .sort((left, right) => right.total - left.total || left.name.localeCompare(right.name)),
  };
}

/** Keeps only the fields that the board reads. */
export function slimPod(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, ownerReferences } =
    pod.metadata ?? {};
  const revision = labels?.["pod-template-hash"] ?? labels?.["controller-revision-hash"];
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      deletionTimestamp,
      ownerReferences,
      labels: revision === undefined ? undefined : { "pod-template-hash": revision },
    },
    spec: {
      nodeName: pod.spec?.nodeName,
      containers: (pod.spec?.containers ?? []).slice(0, 1).map(({ name, image }) => ({ name, image })),
    },
    status: {
      phase: pod.status?.phase,
      conditions: pod.status?.conditions?.filter(({ type }) => type === "Ready"),
      containerStatuses: pod.status?.containerStatuses,
    },
  };
}

function rowOf(name: string, { revisions, others }: Workload): BoardRow {
  const [newest, ...older] = [...revisions.values()].sort((left, right) => right.created.localeCompare(left.created));
  const outdated = older.reduce((sum, { ready }) => sum + ready, 0);
  const counts = Object.fromEntries(podStates.map((state) => [state, others.get(state) ?? 0])) as Record<
    PodState,
    number
  >;
  return {
    name,
    image: newest?.image ?? "",
    counts: { ...counts, ready: newest?.ready ?? 0, outdated },
    total: older.reduce((sum, { total }) => sum + total, newest?.total ?? 0),
  };
}

/** Returns the namespace and the name of the pod's controller; for a ReplicaSet of a Deployment, those of the Deployment. */
function workloadOf(pod: DeepReadonly<Pod>): string {
  const owner = getControllerOwner(pod);
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const suffix = `-${revisionOf(pod)}`;
  const controller = owner?.name ?? name;
  const deployed = owner?.kind === "ReplicaSet" && controller.endsWith(suffix);
  return `${namespace}/${deployed ? controller.slice(0, -suffix.length) : controller}`;
}

function stateOf({ metadata, status }: DeepReadonly<Pod>): PodState {
  if (metadata?.deletionTimestamp !== undefined) return "stopping";
  if (status?.phase === "Succeeded") return "done";
  if (status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true) return "ready";
  const failing = status?.containerStatuses?.some(
    ({ state, restartCount }) =>
      state?.terminated !== undefined || state?.waiting?.reason === "CrashLoopBackOff" || (restartCount ?? 0) > 0,
  );
  return status?.phase === "Failed" || failing === true ? "failing" : "starting";
}

function revisionOf(pod: DeepReadonly<Pod>): string {
  return pod.metadata?.labels?.["pod-template-hash"] ?? "";
}

function newRevision(pod: DeepReadonly<Pod>): Revision {
  const image = pod.spec?.containers[0]?.image ?? "";
  return { created: pod.metadata?.creationTimestamp ?? "", image, ready: 0, total: 0 };
}
