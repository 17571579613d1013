import { Pod } from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { claim } from "./claim.js";

/** A workload that selects its pods by labels. */
type Workload = KubernetesObject & { readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined };

/** Options for `claimPods`. */
export interface ClaimPodsOptions {
  /** Workload, with apiVersion and kind. */
  readonly owner: DeepReadonly<Workload>;
  /** Handle for the workloads in its namespace. */
  readonly owners: {
    get(name: string, options: { readonly signal: AbortSignal }): Promise<DeepReadonly<KubernetesObject>>;
  };
  /** Returns true for a pod that may belong to the workload. Default: every pod may. */
  readonly accepts?: ((pod: DeepReadonly<Pod>) => boolean) | undefined;
  /** Signal for the requests. */
  readonly signal: AbortSignal;
}

/** Returns the pods of a workload. Adopts and releases pods as `claim` does. */
export async function claimPods(context: ClusterContext, options: ClaimPodsOptions): Promise<DeepReadonly<Pod>[]> {
  const { owner, owners, accepts = () => true, signal } = options;
  const { uid = "", name = "", namespace = "" } = owner.metadata ?? {};
  const { store } = context.cache(Pod);
  return await claim<Pod>({
    owner,
    selector: owner.spec?.selector,
    candidates: [uid, `orphan/${namespace}`].flatMap((key) => store.byIndex("controller", key)).filter(accepts),
    objects: context.client.resource(Pod).namespace(namespace),
    readOwner: () => owners.get(name, { signal }),
    signal,
  });
}
