import { exponentialRateLimiter } from "../../../controller/queue/rate-limiters.js";
import type { Controller, ReconcileContext } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isNamespaceTerminating, isNotFound } from "../../../errors/predicates.js";
import { Node, Pod, Service } from "../../../kinds/core/v1.js";
import { EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import { isOwnedBy, ownerReference } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { batched } from "../shared/batched.js";
import { forAll } from "../shared/in-lanes.js";
import { serverMessage } from "../shared/server-message.js";
import { groupEndpoints } from "./endpoint-groups.js";
import { planSlices, type SlicePlan, type WantedSlices } from "./plan-slices.js";
import { addressesOf, hasManagedEndpoints, inheritedLabels, selects } from "./service-endpoints.js";
import { managedBy, ServiceSlices, serviceName } from "./service-slices.js";
import { servicesOfPods } from "./service-source.js";
import { changesZones, TopologyHints } from "./topology-hints.js";

const manager = "endpointslice-controller.k8s.io";

/** Endpoints were left out of slices because their nodes don't exist. */
class MissingNodeError extends Error {}

/**
 * Creates the controller that keeps the addresses of the pods of each Service with a selector in EndpointSlices.
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export function createEndpointSliceController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const nodes = context.cache(Node);
  const services = context.cache(Service);
  const slices = new ServiceSlices(context, manager);
  const zoneOf = (node: string | undefined): string | undefined =>
    nodes.store.get(node ?? "")?.metadata?.labels?.["topology.kubernetes.io/zone"];
  const events = context.recorder("endpoint-slice-controller");
  const hints = new TopologyHints(nodes.store, events);

  return createController({
    name: "endpointslice",
    for: client.resource(Service),
    watches: [
      slices.source(),
      batched(servicesOfPods(context, services), context),
      kindSource(
        client.resource(Node),
        enqueueMapped(() => hints.overloadedServices()),
        { predicates: [changesZones] },
      ),
    ],
    concurrency: 5,
    rateLimiter: exponentialRateLimiter({ baseDelayMs: 1_000 }),
    clock,
    log,
    async reconcile({ namespace, name }, { object: service, signal, recordWrite }) {
      if (service === undefined || !hasManagedEndpoints(service)) {
        hints.forget({ namespace, name });
        if (service === undefined) slices.forget({ namespace, name });
        return;
      }
      const selected = pods.store.list({ namespace }).filter((pod) => selects(service, pod));
      const stranded = strandedPods(service, selected, (node) => nodes.store.get(node) !== undefined);
      const placed = selected.filter((pod) => !stranded.has(pod));
      const managed = slices.list({ namespace, name });
      if (managed === undefined) return;
      const own = managed.filter((slice) => isOwnedBy(slice, service));
      const labels = labelsOf(service);
      const families = (service.spec?.ipFamilies ?? ["IPv4"]).map((each) => (each === "IPv6" ? each : "IPv4"));
      const plans = families.map((addressType) => {
        const current = own.filter((slice) => slice.addressType === addressType);
        const groups = groupEndpoints(service, placed, { addressType, slices: current, zoneOf });
        return hints.plan(service, addressType, planSlices(current, { groups, labels }));
      });
      const obsolete = managed.filter(
        (slice) => !own.includes(slice) || !families.some((family) => family === slice.addressType),
      );
      const record = (slice: EndpointSlice): void => {
        recordWrite(slice);
        slices.note({ namespace, name }, slice);
      };
      const writesOf = sliceWriter(context, service, { labels, record, signal });
      try {
        const writes = [...plans, { create: [], update: [], delete: obsolete }].flatMap(writesOf);
        await forAll(writes, (write) => write());
        if (stranded.size > 0) throw new MissingNodeError(describeStranded(service, [...stranded]));
      } catch (error) {
        if (signal.aborted) throw error;
        const note = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${serverMessage(error)}`;
        events.event(service, { type: "Warning", reason: "FailedToUpdateEndpointSlices", note });
        throw error;
      }
    },
  });
}

/**
 * Returns the pods with an address whose node doesn't exist. Slices leave them out, and the Service is tried again until
 * the node or the end of the pods appears, unless the Service publishes pods that aren't ready.
 */
function strandedPods(
  { spec }: DeepReadonly<Service>,
  pods: readonly DeepReadonly<Pod>[],
  exists: (node: string) => boolean,
): ReadonlySet<DeepReadonly<Pod>> {
  if (spec?.publishNotReadyAddresses === true) return new Set();
  return new Set(pods.filter((pod) => addressesOf(pod).length > 0 && !exists(pod.spec?.nodeName ?? "")));
}

function describeStranded({ metadata }: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): string {
  const service = `${metadata!.namespace}/${metadata!.name}`;
  const texts = pods.map(
    (pod) => `skipping Pod ${pod.metadata!.name} for Service ${service}: Node ${pod.spec?.nodeName ?? ""} Not Found`,
  );
  return texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
}

/** Returns a function that plans the writes for the slices of a Service. */
function sliceWriter(
  { client, clock }: ClusterContext,
  service: DeepReadonly<Service>,
  {
    labels,
    record,
    signal,
  }: Pick<ReconcileContext<Service>, "signal"> &
    Pick<WantedSlices, "labels"> & { readonly record: (slice: EndpointSlice) => void },
): (plan: Omit<SlicePlan, "keep">) => (() => Promise<void>)[] {
  const { namespace = "", name = "" } = service.metadata ?? {};
  const handle = client.resource(EndpointSlice).namespace(namespace);
  const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": formatTime(clock.now()) };
  const ownerReferences = [ownerReference(service, { controller: true })];
  const metadata = { generateName: `${name}-`, namespace, labels, annotations, ownerReferences };
  return (plan) => [
    ...plan.create.map(({ addressType, ports, endpoints }) => async () => {
      const created = { metadata, addressType, ports: [...ports], endpoints: [...endpoints] };
      try {
        record(await handle.create(created, { signal }));
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    }),
    ...plan.update.map(({ slice, ports, endpoints }) => async () => {
      const changed = {
        ...slice,
        metadata: { ...slice.metadata, labels, annotations: { ...slice.metadata?.annotations, ...annotations } },
        ports: [...ports],
        endpoints: [...endpoints],
      };
      record(await handle.update(changed, { signal }));
    }),
    ...plan.delete.map((slice) => async () => {
      const preconditions = { uid: slice.metadata!.uid! };
      try {
        await handle.delete(slice.metadata!.name!, { preconditions, signal });
      } catch (error) {
        // The garbage collector deletes the slices of an earlier Service of the name, too.
        if (!isNotFound(error)) throw error;
      }
    }),
  ];
}

function labelsOf(service: DeepReadonly<Service>): Record<string, string> {
  return {
    ...inheritedLabels(service),
    [serviceName]: service.metadata!.name!,
    [managedBy]: manager,
  };
}
