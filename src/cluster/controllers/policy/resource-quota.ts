import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { Predicate } from "../../../controller/reconcile/predicates.js";
import { createDiscovery } from "../../../discovery/discovery.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from "../../../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import { parseQuantity } from "../../../meta/quantity.js";
import type { ClusterContext } from "../context.js";
import { writeStatus } from "../shared/write-status.js";
import { addDeviceClaims, limitsDevices } from "./device-usage.js";
import { countsClaim, countsPod, hasScopes } from "./quota-scopes.js";
import { addClaim, addPod, addService, addUsage, isCharged, type Usage, usedOf } from "./quota-usage.js";

/** Period in milliseconds in which each quota is counted again. */
const periodMs = 300_000;
const claimResource = "resourceclaims.resource.k8s.io";
/** Names under which quotas count objects of the core group without the prefix `count/`. */
const shortNames = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"]);

/**
 * Creates the controller that counts what the objects of each ResourceQuota's namespace use. The API server adds what is
 * created in between.
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export function createResourceQuotaController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const quotas = context.cache(ResourceQuota);
  const pods = context.cache(Pod);
  const services = context.cache(Service);
  const claims = context.cache(PersistentVolumeClaim);
  const discovery = createDiscovery(client, { clock });
  const followed = new Set<string>();

  const quotasIn = enqueueMapped(({ metadata }: DeepReadonly<KubernetesObject>) =>
    quotas.store
      .list({ namespace: metadata!.namespace! })
      .map((quota) => ({ namespace: metadata!.namespace!, name: quota.metadata!.name! })),
  );
  // The API server charges what is created. A count that runs then may not see the object yet.
  const isLess: Predicate<KubernetesObject> = ({ type }) => type === "deleted";
  const podChanged: Predicate<Pod> = (change) => {
    if (change.type !== "updated") return change.type === "deleted";
    const { object: pod, old } = change;
    return (
      (isCharged(old, clock.now()) && !isCharged(pod, clock.now())) ||
      pod.spec?.activeDeadlineSeconds !== old.spec?.activeDeadlineSeconds ||
      isResized(pod, old)
    );
  };
  const serviceChanged: Predicate<Service> = (change) =>
    change.type === "deleted" || (change.type === "updated" && !deepEqual(change.object.spec, change.old.spec));

  /** Returns the number of objects of a resource in a namespace, and follows the deletions of others. */
  async function countObjects(resource: string, namespace: string, signal: AbortSignal): Promise<number | undefined> {
    const kind = await discovery.find(resource, { signal });
    if (kind === undefined || kind.scope !== "Namespaced") return undefined;
    const handle = client.resource(kind);
    if (!followed.has(resource)) {
      followed.add(resource);
      const source = kindSource(handle.metadataOnly(), quotasIn, { predicates: [isLess] });
      controller.addSource(source);
    }
    const { items } = await handle.namespace(namespace).metadataOnly().list({ signal });
    return items.length;
  }

  async function measure(quota: DeepReadonly<ResourceQuota>, signal: AbortSignal): Promise<Usage> {
    const { namespace = "" } = quota.metadata ?? {};
    const usage: Usage = new Map();
    for (const pod of pods.store.list({ namespace })) {
      if (!countsPod(quota, pod)) continue;
      addUsage(usage, "count/pods");
      if (isCharged(pod, clock.now())) addPod(usage, pod);
    }
    for (const claim of claims.store.list({ namespace })) if (countsClaim(quota, claim)) addClaim(usage, claim);
    // Scopes select pods and claims.
    if (hasScopes(quota)) return usage;
    for (const service of services.store.list({ namespace })) addService(usage, service);
    const names = Object.keys(quota.spec?.hard ?? {});
    // A server may lack claims.
    if (names.some(limitsDevices) && (await countObjects(claimResource, namespace, signal)) !== undefined) {
      const pod = (name: string): DeepReadonly<Pod> | undefined => pods.store.get(`${namespace}/${name}`);
      await addDeviceClaims(usage, client, { namespace, pod }, signal);
    }
    for (const name of names) {
      const resource = shortNames.has(name) ? name : /^count\/(.+)$/.exec(name)?.[1];
      if (resource === undefined || usage.has(name)) continue;
      const count = await countObjects(resource, namespace, signal);
      if (count !== undefined) usage.set(name, parseQuantity(String(count)));
    }
    return usage;
  }

  const controller = createController({
    name: "resourcequota",
    for: client.resource(ResourceQuota),
    predicates: [(change) => change.type !== "updated" || !deepEqual(change.object.spec, change.old.spec)],
    watches: [
      kindSource(client.resource(Pod), quotasIn, { predicates: [podChanged] }),
      kindSource(client.resource(Service), quotasIn, { predicates: [serviceChanged] }),
      // Its class or the storage that it gets may change.
      kindSource(client.resource(PersistentVolumeClaim), quotasIn, { predicates: [({ type }) => type !== "added"] }),
    ],
    concurrency: 5,
    clock,
    log,
    async reconcile({ namespace }, call) {
      const { object: quota, signal } = call;
      if (quota === undefined) return undefined;
      const hard = { ...quota.spec?.hard };
      const used = usedOf(await measure(quota, signal), Object.keys(hard));
      await writeStatus<ResourceQuota>(
        client.resource(ResourceQuota).namespace(namespace),
        quota,
        { hard, used },
        call,
      );
      return { requeueAfterMs: periodMs };
    },
  });
  return controller;
}

/** Returns true if the containers of a pod have other resources than before. */
function isResized({ status }: DeepReadonly<Pod>, { status: old }: DeepReadonly<Pod>): boolean {
  const before = [...(old?.containerStatuses ?? []), ...(old?.initContainerStatuses ?? [])];
  const after = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return before.some(({ name, resources }) => {
    const found = after.find((each) => each.name === name);
    return found !== undefined && !deepEqual(found.resources, resources);
  });
}
