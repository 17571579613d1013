import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { Node, Pod, Service } from "../../../kinds/core/v1.js";
import { type Endpoint, type EndpointHints, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import { ownerReference } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { batched } from "../shared/batched.js";
import { allSettled } from "../shared/pod-control.js";
import { isReady } from "../shared/pods.js";
import { type EndpointGroup, planSlices } from "./plan-slices.js";
import {
  addressesOf,
  hasManagedEndpoints,
  hostnameIn,
  inheritedLabels,
  portsOf,
  selects,
} from "./service-endpoints.js";
import { servicesOfPods } from "./service-source.js";

const managedBy = "endpointslice.kubernetes.io/managed-by";
const manager = "endpointslice-controller.k8s.io";

/**
 * Creates the controller that keeps the addresses of the pods of each Service with a selector in EndpointSlices.
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export function createEndpointSliceController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const nodes = context.cache(Node);
  const services = context.cache(Service);
  const slices = context.cache(EndpointSlice);
  const zoneOf = (node: string | undefined): string | undefined =>
    nodes.store.get(node ?? "")?.metadata?.labels?.["topology.kubernetes.io/zone"];

  return createController({
    name: "endpointslice",
    for: client.resource(Service),
    owns: [client.resource(EndpointSlice)],
    watches: [batched(servicesOfPods(context, services), context)],
    concurrency: 5,
    clock,
    log,
    async reconcile({ namespace }, { object: service, signal, recordWrite }) {
      if (service === undefined || !hasManagedEndpoints(service)) return;
      const { uid = "" } = service.metadata ?? {};
      const selected = pods.store.list({ namespace }).filter((pod) => selects(service, pod));
      const own = slices.store
        .byIndex("controller", uid)
        .filter(
          ({ metadata }) => metadata?.labels?.[managedBy] === manager && metadata.deletionTimestamp === undefined,
        );
      const labels = labelsOf(service);
      const plan = planSlices(own, { groups: groupEndpoints(service, selected, zoneOf), labels });
      const handle = client.resource(EndpointSlice).namespace(namespace);
      const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": formatTime(clock.now()) };
      const metadata = {
        generateName: `${service.metadata!.name!}-`,
        namespace,
        labels,
        annotations,
        ownerReferences: [ownerReference(service, { controller: true })],
      };
      await allSettled([
        ...plan.create.map(async ({ addressType, ports, endpoints }) => {
          recordWrite(
            await handle.create({ metadata, addressType, ports: [...ports], endpoints: [...endpoints] }, { signal }),
          );
        }),
        ...plan.update.map(async ({ slice, ports, endpoints }) => {
          const changed = {
            ...slice,
            metadata: { ...slice.metadata, labels, annotations },
            ports: [...ports],
            endpoints: [...endpoints],
          };
          recordWrite(await handle.update(changed, { signal }));
        }),
        ...plan.delete.map(async (slice) => {
          const preconditions = { uid: slice.metadata!.uid! };
          await handle.delete(slice.metadata!.name!, { preconditions, signal });
        }),
      ]);
    },
  });
}

function labelsOf(service: DeepReadonly<Service>): Record<string, string> {
  return {
    ...inheritedLabels(service),
    "kubernetes.io/service-name": service.metadata!.name!,
    [managedBy]: manager,
  };
}

/** Groups the endpoints of a Service by kind of address and ports. Without endpoints, there is one group per kind. */
function groupEndpoints(
  service: DeepReadonly<Service>,
  pods: readonly DeepReadonly<Pod>[],
  zoneOf: (node: string | undefined) => string | undefined,
): EndpointGroup[] {
  return (service.spec?.ipFamilies ?? ["IPv4"]).flatMap((family) => {
    const addressType = family === "IPv6" ? "IPv6" : "IPv4";
    const groups = new Map<string, EndpointGroup & { readonly endpoints: Endpoint[] }>();
    for (const pod of [...pods].sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1))) {
      const addresses = addressesOf(pod).filter((each) => each.includes(":") === (addressType === "IPv6"));
      if (addresses.length === 0) continue;
      const ports = portsOf(service, pod);
      const key = JSON.stringify(ports);
      const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
      group.endpoints.push(endpointOf(service, pod, { addresses, zone: zoneOf(pod.spec?.nodeName) }));
      groups.set(key, group);
    }
    return groups.size > 0 ? [...groups.values()] : [{ addressType, ports: [], endpoints: [] }];
  });
}

function endpointOf(
  service: DeepReadonly<Service>,
  pod: DeepReadonly<Pod>,
  { addresses, zone }: { readonly addresses: readonly string[]; readonly zone: string | undefined },
): Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata!;
  const hostname = hostnameIn(service, pod);
  const { nodeName } = pod.spec ?? {};
  const hints = ready ? hintsOf(service, nodeName, zone) : undefined;
  return {
    addresses: [...addresses],
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== undefined && { nodeName }),
    ...(zone !== undefined && { zone }),
    ...(hints !== undefined && { hints }),
  };
}

/** Returns the zone and the node whose clients should prefer an endpoint, by the Service's `trafficDistribution`. */
function hintsOf(
  { spec }: DeepReadonly<Service>,
  nodeName: string | undefined,
  zone: string | undefined,
): EndpointHints | undefined {
  const preference = spec?.trafficDistribution;
  const isClose = preference === "PreferClose" || preference === "PreferSameZone" || preference === "PreferSameNode";
  const forZones = isClose && zone !== undefined ? [{ name: zone }] : undefined;
  const forNodes = preference === "PreferSameNode" && nodeName !== undefined ? [{ name: nodeName }] : undefined;
  if (forZones === undefined && forNodes === undefined) return undefined;
  return { ...(forZones && { forZones }), ...(forNodes && { forNodes }) };
}
