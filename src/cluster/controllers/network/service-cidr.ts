import type { Controller, ReconcileContext, SourceRegistration } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { IPAddress, ServiceCIDR } from "../../../kinds/networking/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime, parseTime } from "../../../meta/time.js";
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";
import { type AddressRange, contains, parseRange } from "./address-range.js";

const finalizer = "networking.k8s.io/service-cidr-finalizer";
const fieldManager = "service-cidr-controller";
/** Label of the IPAddresses that API servers create for Services. */
const ofServices = "ipaddress.kubernetes.io/managed-by=ipallocator.k8s.io";
/** Time in milliseconds in which API servers notice that they mustn't use a range any more. */
const graceMs = 10_000;

const ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;
const terminating = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

/**
 * Creates the controller that keeps a ServiceCIDR while Services have addresses that no other one holds. It reads
 * IPAddresses only if a ServiceCIDR is being deleted.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
export function createServiceCidrController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const cidrs = context.cache(ServiceCIDR);
  const handle = client.resource(ServiceCIDR);
  let addresses: SourceRegistration | undefined;
  /** Returns requests for all that are being deleted, which others may now replace or no longer block. */
  const enqueueDeleted = enqueueMapped(() =>
    cidrs.store
      .list()
      .filter(isBeingDeleted)
      .map(({ metadata }) => ({ name: metadata!.name! })),
  );

  async function isInUse(cidr: DeepReadonly<ServiceCIDR>, signal: AbortSignal): Promise<boolean> {
    const own = rangesOf(cidr);
    const others = cidrs.store
      .list()
      .filter(({ metadata }) => metadata?.name !== cidr.metadata?.name)
      .flatMap(rangesOf);
    const isHeld = (range: AddressRange): boolean => others.some((other) => contains(other, range));
    if (own.every(isHeld)) return false;
    addresses ??= controller.addSource(kindSource(client.resource(IPAddress), enqueueDeleted));
    const { items } = await client.resource(IPAddress).list({ labelSelector: ofServices, signal });
    return items
      .map(({ metadata }) => parseRange(metadata!.name!))
      .some((address) => own.some((range) => contains(range, address)) && !isHeld(address));
  }

  async function setReady(
    { metadata, status }: DeepReadonly<ServiceCIDR>,
    wanted: typeof ready | typeof terminating,
    call: ReconcileContext<ServiceCIDR>,
  ): Promise<void> {
    const current = status?.conditions?.find(({ type }) => type === "Ready");
    if (current?.status === wanted.status && current.reason === wanted.reason && current.message === wanted.message)
      return;
    const conditions = [{ type: "Ready", ...wanted, lastTransitionTime: formatTime(clock.now()) }];
    const applied = { apiVersion: "networking.k8s.io/v1", kind: "ServiceCIDR", status: { conditions } } as const;
    const written = await handle
      .subresource("status")
      .apply({ ...applied, metadata: { name: metadata!.name! } }, { fieldManager, force: true, signal: call.signal });
    call.recordWrite(written);
  }

  const controller: Controller = createController({
    name: "service-cidr",
    for: handle,
    watches: [kindSource(handle, enqueueDeleted, { predicates: [({ type }) => type !== "updated"] })],
    clock,
    log,
    async reconcile({ name }, call) {
      const { object: cidr, signal } = call;
      if (cidr === undefined) return undefined;
      if (!isBeingDeleted(cidr)) {
        if (!hasFinalizer(cidr, finalizer)) await addFinalizer(handle, name, finalizer, { signal });
        await setReady(cidr, ready, call);
        return undefined;
      }
      if (await isInUse(cidr, signal)) {
        await setReady(cidr, terminating, call);
        return undefined;
      }
      const deletedAt = parseTime(cidr.metadata?.deletionTimestamp)?.getTime() ?? 0;
      const restMs = deletedAt + graceMs - clock.now();
      if (restMs > 0) return { requeueAfterMs: restMs };
      if (hasFinalizer(cidr, finalizer)) await removeFinalizer(handle, name, finalizer, { signal });
      return undefined;
    },
  });
  return controller;
}

function rangesOf({ spec }: DeepReadonly<ServiceCIDR>): AddressRange[] {
  return (spec?.cidrs ?? []).map(parseRange);
}
