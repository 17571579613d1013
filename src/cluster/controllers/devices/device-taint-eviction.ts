import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { Pod } from "../../../kinds/core/v1.js";
import { ResourceClaim, ResourceSlice } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted } from "../../../objects/finalizers.js";
import { isOwnedBy } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { deviceClaims, isReservedFor } from "../shared/device-claims.js";
import { disruptPod } from "../shared/disrupt-pod.js";
import { claimEvictionMs } from "./device-taints.js";

const disruption = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
};

/**
 * Creates the controller that evicts pods whose devices have taints of the effect `NoExecute`: at once, or after the time
 * that their claims tolerate them.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#device-taints-and-tolerations
 */
export function createDeviceTaintEvictionController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const events = context.recorder("device-taint-eviction-controller");
  const pods = context.cache(Pod).store;
  const claims = context.cache(ResourceClaim).store;
  const slices = context.cache(ResourceSlice).store;
  /** Evictions by namespace and name of the pod. Those that are done may not be in the cache yet. */
  const evictions = new Map<string, { readonly uid: string; readonly done: boolean }>();

  /** Returns when a pod is evicted, in milliseconds since the epoch: with the first of its claims. */
  function evictionMs(pod: DeepReadonly<Pod>): number {
    const times = deviceClaims(pod).map(({ claim: name, isMade }) => {
      const claim = claims.get(`${pod.metadata!.namespace}/${name}`);
      if (claim === undefined || !isReservedFor(claim, pod) || (isMade && !isOwnedBy(claim, pod)))
        return Number.POSITIVE_INFINITY;
      return claimEvictionMs(claim, slices.list());
    });
    return Math.min(...times);
  }

  return createController({
    name: "device-taint-eviction",
    for: client.resource(Pod),
    predicates: [({ object }) => usesDevices(object)],
    watches: [
      kindSource(
        client.resource(ResourceClaim),
        enqueueMapped(({ metadata, status }) =>
          (status?.reservedFor ?? []).map(({ name }) => ({ namespace: metadata!.namespace!, name })),
        ),
      ),
      kindSource(
        client.resource(ResourceSlice),
        enqueueMapped(() =>
          pods
            .list()
            .filter(usesDevices)
            .map(({ metadata }) => ({ namespace: metadata!.namespace!, name: metadata!.name! })),
        ),
      ),
    ],
    clock,
    log,
    async reconcile({ namespace, name }, { object: pod, signal }) {
      const key = `${namespace}/${name}`;
      const uid = pod?.metadata?.uid ?? "";
      const known = evictions.get(key);
      if (known?.done === true && known.uid === uid) return undefined;
      evictions.delete(key);
      if (pod === undefined || isBeingDeleted(pod)) return undefined;
      const remainingMs = evictionMs(pod) - clock.now();
      if (remainingMs === Number.POSITIVE_INFINITY) {
        if (known?.uid === uid)
          events.event(pod, { reason: "DeviceTaintManagerEviction", note: "Cancelling deletion" });
        return undefined;
      }
      if (remainingMs > 0) {
        evictions.set(key, { uid, done: false });
        return { requeueAfterMs: remainingMs };
      }
      events.event(pod, { reason: "DeviceTaintManagerEviction", note: "Marking for deletion" });
      await disruptPod(pod, { client, disruption, nowMs: clock.now(), signal });
      evictions.set(key, { uid, done: true });
      return undefined;
    },
  });
}

/** Returns true for a pod on a node that uses devices. */
function usesDevices({ spec }: DeepReadonly<Pod>): boolean {
  return spec?.nodeName !== undefined && (spec.resourceClaims ?? []).length > 0;
}
