import type { Pod, Service } from "../../../kinds/core/v1.js";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isReady } from "../shared/pods.js";
import type { EndpointGroup } from "./plan-slices.js";
import { addressesOf, hostnameIn, portsOf } from "./service-endpoints.js";
import { usesTopologyHints } from "./topology-hints.js";

/** Family of the addresses of slices, their contents so far, and the zones of nodes. */
export interface SliceFamily {
  readonly addressType: "IPv4" | "IPv6";
  readonly slices: readonly DeepReadonly<EndpointSlice>[];
  readonly zoneOf: (node: string | undefined) => string | undefined;
}

/** Groups the endpoints of a Service in a family of addresses by ports. Without endpoints, there is one group. */
export function groupEndpoints(
  service: DeepReadonly<Service>,
  pods: readonly DeepReadonly<Pod>[],
  { addressType, slices, zoneOf }: SliceFamily,
): EndpointGroup[] {
  // The zones to serve depend on all endpoints, so the plan of the slices decides whether they change.
  const current = usesTopologyHints(service) ? hintsByPod(slices) : undefined;
  const groups = new Map<string, EndpointGroup & { readonly endpoints: Endpoint[] }>();
  for (const pod of [...pods].sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1))) {
    const addresses = addressesOf(pod).filter((each) => each.includes(":") === (addressType === "IPv6"));
    if (addresses.length === 0) continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
    const zone = zoneOf(pod.spec?.nodeName);
    const hints = current ? current.get(pod.metadata!.uid) : hintsOf(service, pod.spec?.nodeName, zone);
    group.endpoints.push(endpointOf(service, pod, { addresses, zone, hints }));
    groups.set(key, group);
  }
  return groups.size > 0 ? [...groups.values()] : [{ addressType, ports: [], endpoints: [] }];
}

/** Returns the hints of endpoints by the UID of their pod. */
function hintsByPod(slices: SliceFamily["slices"]): ReadonlyMap<string | undefined, EndpointHints | undefined> {
  return new Map(
    slices.flatMap(({ endpoints }) =>
      (endpoints ?? []).map(({ targetRef, hints }) => [targetRef?.uid, hints as EndpointHints | undefined] as const),
    ),
  );
}

function endpointOf(
  service: DeepReadonly<Service>,
  pod: DeepReadonly<Pod>,
  { addresses, zone, hints }: Pick<Endpoint, "addresses" | "zone" | "hints">,
): Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata!;
  const hostname = hostnameIn(service, pod);
  const { nodeName } = pod.spec ?? {};
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== undefined && { nodeName }),
    ...(zone !== undefined && { zone }),
    ...(ready && hints !== undefined && { hints }),
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
