import type { EndpointAddress, EndpointSubset, EndpointPort as SubsetPort } from "../../../kinds/core/v1.js";
import type { Endpoint, EndpointPort } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { EndpointGroup } from "./plan-slices.js";

/** Maximum number of addresses of a subset that are mirrored. */
export const maxMirrored = 1_000;

/** The groups of endpoints that mirror an Endpoints object. */
export interface MirroredSubsets {
  readonly groups: readonly EndpointGroup[];
  /** Number of addresses above the maximum. */
  readonly skipped: number;
}

/** Addresses with the same ports, by kind of address. */
interface Subset {
  readonly ports: readonly DeepReadonly<SubsetPort>[];
  readonly addresses: readonly MirroredAddress[];
}

interface MirroredAddress {
  readonly address: DeepReadonly<EndpointAddress>;
  readonly ready: boolean;
}

/** Returns the endpoints of subsets, grouped by ports and kind of address. */
export function mirrorSubsets(subsets: readonly DeepReadonly<EndpointSubset>[]): MirroredSubsets {
  let skipped = 0;
  const groups = joinSubsets(subsets).flatMap(({ ports, addresses }) => {
    skipped += Math.max(0, addresses.length - maxMirrored);
    const mirrored = addresses.slice(0, maxMirrored);
    return (["IPv4", "IPv6"] as const).flatMap((addressType): EndpointGroup[] => {
      const endpoints = mirrored
        .filter(({ address }) => address.ip.includes(":") === (addressType === "IPv6"))
        .map(endpointOf);
      return endpoints.length === 0 ? [] : [{ addressType, ports: ports.map(portOf), endpoints }];
    });
  });
  return { groups, skipped };
}

/**
 * Joins the ports of addresses that several subsets name, like the API machinery: an address counts once per port, and
 * ports with the same addresses form one subset. An address that is also listed as not ready isn't ready.
 */
function joinSubsets(subsets: readonly DeepReadonly<EndpointSubset>[]): Subset[] {
  const byPort = new Map<
    string,
    { port: DeepReadonly<SubsetPort> | undefined; addresses: Map<string, MirroredAddress> }
  >();
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of subsets)
    for (const port of ports.length > 0 ? ports : [undefined]) {
      const key = JSON.stringify(port === undefined ? [] : [port.name, port.protocol, port.port, port.appProtocol]);
      const entry = byPort.get(key) ?? { port, addresses: new Map<string, MirroredAddress>() };
      byPort.set(key, entry);
      const add = (address: DeepReadonly<EndpointAddress>, ready: boolean): void => {
        const id = `${address.ip} ${address.targetRef?.uid ?? ""}`;
        const known = entry.addresses.get(id);
        if (known === undefined || known.ready) entry.addresses.set(id, { address, ready });
      };
      for (const address of addresses) add(address, true);
      for (const address of notReadyAddresses) add(address, false);
    }
  const joined = new Map<string, { ports: DeepReadonly<SubsetPort>[]; addresses: MirroredAddress[] }>();
  for (const [, { port, addresses }] of [...byPort].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = [...addresses].sort(([a], [b]) => (a < b ? -1 : 1));
    // Ready addresses come first, so that they are mirrored if there are too many.
    const values = [true, false].flatMap((is) =>
      sorted.filter(([, { ready }]) => ready === is).map(([, each]) => each),
    );
    const key = JSON.stringify(sorted.map(([id, { ready }]) => [id, ready]));
    const subset = joined.get(key) ?? { ports: [], addresses: values };
    if (port !== undefined) subset.ports.push(port);
    joined.set(key, subset);
  }
  return [...joined.values()];
}

function portOf({ name = "", port, protocol = "TCP", appProtocol }: DeepReadonly<SubsetPort>): EndpointPort {
  return { name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) };
}

function endpointOf({ address, ready }: MirroredAddress): Endpoint {
  const { ip, hostname, nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname !== undefined && hostname !== "" && { hostname }),
    ...(targetRef !== undefined && { targetRef: { ...targetRef } }),
    ...(nodeName !== undefined && { nodeName }),
  };
}
