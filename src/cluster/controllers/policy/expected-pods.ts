import { createDiscovery } from "../../../discovery/discovery.js";
import { KubestreamError } from "../../../errors/kubestream-error.js";
import { isNotFound } from "../../../errors/predicates.js";
import { Deployment, ReplicaSet, StatefulSet } from "../../../kinds/apps/v1.js";
import type { Scale } from "../../../kinds/autoscaling/v1.js";
import { type Pod, ReplicationController } from "../../../kinds/core/v1.js";
import type { PodDisruptionBudget } from "../../../kinds/policy/v1.js";
import { getApiVersion, type Kind } from "../../../meta/kind.js";
import type { DeepReadonly, OwnerReference } from "../../../meta/object.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { intOrPercent } from "../shared/int-or-percent.js";

/** Number of pods that a budget expects, and that must stay healthy. */
export interface Expectation {
  readonly expected: number;
  readonly desired: number;
  /** True if a pod has no controller that could say how many pods there should be. */
  readonly unmanaged: boolean;
}

/** Number of replicas of the workload with a UID. */
interface Replicas {
  readonly uid: string;
  readonly replicas: number;
}

type Owner = DeepReadonly<OwnerReference>;
type Workload = Deployment | ReplicaSet | StatefulSet | ReplicationController;
type ScalableKind = Kind<object, "Namespaced", { scale: Scale }>;

/** Built-in workloads whose number of replicas counts. */
const workloads: readonly Kind<Workload>[] = [Deployment, ReplicaSet, StatefulSet, ReplicationController];

/** The workload of a pod, and so how many pods a budget expects, can't be determined. */
export class PodCountError extends KubestreamError {
  override readonly name = "PodCountError";
}

/** Returns how many pods a budget expects. Rejects with a `PodCountError` if that can't be determined. */
export type ExpectPods = (
  budget: DeepReadonly<PodDisruptionBudget>,
  pods: readonly DeepReadonly<Pod>[],
  signal: AbortSignal,
) => Promise<Expectation>;

/** Creates a function that counts the pods that budgets expect. */
export function createExpectPods(context: ClusterContext): ExpectPods {
  const replicasOf = createReplicasLookup(context);

  /** Adds up what the controllers of pods want. */
  async function countReplicas(pods: readonly DeepReadonly<Pod>[], signal: AbortSignal): Promise<number> {
    const oneOfEach = new Map(pods.map((pod) => [getControllerOwner(pod)?.uid, pod]));
    oneOfEach.delete(undefined);
    const counts = new Map<string, number>();
    for (const { metadata } of oneOfEach.values()) {
      const found = await replicasOf(metadata!.namespace!, getControllerOwner({ metadata })!, signal);
      if (found === undefined) throw new PodCountError(`found no controllers for pod "${metadata!.name!}"`);
      counts.set(found.uid, found.replicas);
    }
    return [...counts.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  return async ({ spec }, pods, signal) => {
    const { minAvailable, maxUnavailable } = spec ?? {};
    // Without a rule, a budget expects no pods and so allows no disruption.
    if (maxUnavailable === undefined && minAvailable === undefined)
      return { expected: 0, desired: 0, unmanaged: false };
    if (maxUnavailable === undefined && typeof minAvailable !== "string")
      return { expected: pods.length, desired: minAvailable ?? 0, unmanaged: false };
    const expected = await countReplicas(pods, signal);
    const desired =
      maxUnavailable === undefined
        ? intOrPercent(minAvailable, expected, "up")
        : Math.max(0, expected - intOrPercent(maxUnavailable, expected, "up"));
    return { expected, desired, unmanaged: pods.some((pod) => getControllerOwner(pod) === undefined) };
  };
}

/** Returns a function that finds a workload, and how many pods it should have. Only built-in ones are in a cache. */
function createReplicasLookup(
  context: ClusterContext,
): (namespace: string, owner: Owner, signal: AbortSignal) => Promise<Replicas | undefined> {
  const { client, clock } = context;
  const discovery = createDiscovery(client, { clock });
  /** Asks the subresource `scale`, which custom resources can have. */
  async function askScale(namespace: string, owner: Owner, signal: AbortSignal): Promise<Replicas | undefined> {
    const { apiVersion, kind, name, uid } = owner;
    const resource = await discovery.find({ apiVersion, kind }, { signal });
    if (resource === undefined) throw new PodCountError(`no matches for kind "${kind}" in version "${apiVersion}"`);
    if (!resource.subresources.some((each) => each.name === "scale")) {
      const fullName = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
      throw new PodCountError(`${fullName} does not implement the scale subresource`);
    }
    const handle = client.resource(resource as Kind as ScalableKind).namespace(namespace);
    try {
      const { metadata, spec } = await handle.subresource("scale").get(name, { signal });
      return metadata?.uid === uid ? { uid, replicas: spec?.replicas ?? 0 } : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Returns a built-in workload; `undefined` for any other one, and for one that is missing. */
  async function findBuiltIn(
    namespace: string,
    owner: Owner,
    signal: AbortSignal,
  ): Promise<DeepReadonly<Workload> | undefined> {
    const isKind = (kind: Kind): boolean => kind.kind === owner.kind && getApiVersion(kind) === owner.apiVersion;
    const workload = workloads.find(isKind);
    if (workload === undefined) return undefined;
    const cache = context.cache<Workload>(workload);
    // It fills when the first budget needs it.
    await cache.synced({ signal });
    const found = cache.store.get(`${namespace}/${owner.name}`);
    return found?.metadata?.uid === owner.uid ? found : undefined;
  }

  return async (namespace, owner, signal) => {
    const found = await findBuiltIn(namespace, owner, signal);
    if (found === undefined) return await askScale(namespace, owner, signal);
    const parent = getControllerOwner(found);
    const deployment = parent?.kind === "Deployment" ? await findBuiltIn(namespace, parent, signal) : undefined;
    const { metadata, spec } = deployment ?? found;
    return { uid: metadata!.uid!, replicas: spec?.replicas ?? 1 };
  };
}
