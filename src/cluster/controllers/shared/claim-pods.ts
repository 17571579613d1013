import type { Informer } from "../../../cache/informer/informer.js";
import type { Client } from "../../../client/client.js";
import type { Resource } from "../../../client/resource/resource.js";
import { ControllerRevision } from "../../../kinds/apps/v1.js";
import { Pod } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { claim } from "./claim.js";

/** A workload that selects its pods by labels. */
type Workload = KubernetesObject & { readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined };

/** Options for `claimPods` and `claimRevisions`. */
export interface ClaimPodsOptions {
  /** Workload, with apiVersion and kind. */
  readonly owner: DeepReadonly<Workload>;
  /** Handle for the workloads in its namespace. */
  readonly owners: {
    get(name: string, options: { readonly signal: AbortSignal }): Promise<DeepReadonly<KubernetesObject>>;
  };
  /** Returns true for a pod that may belong to the workload. Default: every pod may. */
  readonly accepts?: ((pod: DeepReadonly<Pod>) => boolean) | undefined;
  /** Finalizer of the workload's pods: adopted ones get it, released ones lose it. Default: none. */
  readonly finalizer?: string | undefined;
  /** False to keep objects that no longer match the workload's selector, without returning them. Default: true. */
  readonly releases?: boolean | undefined;
  /** Signal for the requests. */
  readonly signal: AbortSignal;
}

/** Returns the pods of a workload. Adopts and releases pods as `claim` does. */
export async function claimPods(context: ClusterContext, options: ClaimPodsOptions): Promise<DeepReadonly<Pod>[]> {
  return await claimKind(context.client.resource(Pod), context.cache(Pod), options);
}

/** Returns the revisions of a workload. Adopts those that a deleted workload left behind. */
export async function claimRevisions(
  client: Client,
  revisions: Informer<ControllerRevision>,
  options: Omit<ClaimPodsOptions, "accepts" | "finalizer">,
): Promise<DeepReadonly<ControllerRevision>[]> {
  return await claimKind(client.resource(ControllerRevision), revisions, options);
}

async function claimKind<T extends KubernetesObject>(
  objects: { namespace(namespace: string): unknown },
  { store }: Informer<T>,
  options: Omit<ClaimPodsOptions, "accepts"> & {
    readonly accepts?: ((object: DeepReadonly<T>) => boolean) | undefined;
  },
): Promise<DeepReadonly<T>[]> {
  const { owner, owners, accepts = () => true, finalizer, releases, signal } = options;
  const { uid = "", name = "", namespace = "" } = owner.metadata ?? {};
  return await claim<T>({
    owner,
    selector: owner.spec?.selector,
    candidates: [uid, `orphan/${namespace}`].flatMap((key) => store.byIndex("controller", key)).filter(accepts),
    objects: objects.namespace(namespace) as Pick<Resource<T>, "patch">,
    readOwner: () => owners.get(name, { signal }),
    finalizer,
    releases,
    signal,
  });
}
