import type { EndpointAddress, Endpoints, EndpointPort as OldPort } from "../../../kinds/core/v1.js";
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { addressProblem } from "../../objects/addresses.js";
import { labelValueErrors } from "../../objects/selectors.js";
import { endpointAddress, isIpv4Text } from "../shared/endpoint-addresses.js";
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  fullDomain,
  immutableNamed,
  invalid,
  ipAddress,
  labels,
  notSupported,
  PROTOCOLS,
  portNumber,
  qualifiedName,
  required,
  sameValue,
  tooMany,
} from "../shared/field-errors.js";

const TYPES = ["FQDN", "IPv4", "IPv6"];
const MOST_ENDPOINTS = 1000;
const MOST_PORTS = 20_000;
const MOST_ADDRESSES = 100;
const MOST_TOPOLOGY = 16;
const MOST_HINTS = 8;

/** Errors of an EndpointSlice. */
export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  const type = (slice.addressType as string | undefined) ?? "";
  const errors: FieldError[] = [];
  if (type === "") errors.push(required("addressType"));
  else if (!TYPES.includes(type)) errors.push(notSupported("addressType", type, TYPES));
  return [...errors, ...portErrors(slice.ports ?? []), ...endpointsErrors(slice.endpoints ?? [], type)];
}

/** Errors of a changed EndpointSlice: end points that stay as they are may be wrong. */
export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  const same = sameValue(slice.endpoints, old.endpoints);
  return [
    ...validateEndpointSlice(same ? { ...slice, endpoints: [] } : slice),
    ...immutableNamed("addressType", slice.addressType, old.addressType),
  ];
}

function portErrors(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany("ports", ports.length, MOST_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, index) => {
    const at = `ports[${String(index)}]`;
    const errors = name === "" ? [] : dnsLabel(`${at}.name`, name);
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (protocol === undefined) errors.push(required(`${at}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    return appProtocol === undefined ? errors : [...errors, ...qualifiedName(`${at}.appProtocol`, appProtocol)];
  });
}

function endpointsErrors(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany("endpoints", endpoints.length, MOST_ENDPOINTS)];
  return endpoints.flatMap((endpoint, index) => {
    const at = `endpoints[${String(index)}]`;
    const addresses = (endpoint.addresses as readonly string[] | null) ?? [];
    const errors: FieldError[] = [];
    if (addresses.length === 0) errors.push(required(`${at}.addresses`, "must contain at least 1 address"));
    else if (addresses.length > MOST_ADDRESSES)
      errors.push(tooMany(`${at}.addresses`, addresses.length, MOST_ADDRESSES));
    addresses.forEach((address, position) => errors.push(...sliceAddress(address, type, `${at}.addresses`, position)));
    if (endpoint.nodeName !== undefined) errors.push(...dnsSubdomain(`${at}.nodeName`, endpoint.nodeName));
    const topology = Object.keys(endpoint.deprecatedTopology ?? {}).length;
    if (topology > MOST_TOPOLOGY) errors.push(tooMany(`${at}.deprecatedTopology`, topology, MOST_TOPOLOGY));
    errors.push(...labels(`${at}.deprecatedTopology`, endpoint.deprecatedTopology));
    if (endpoint.hostname !== undefined) errors.push(...dnsLabel(`${at}.hostname`, endpoint.hostname));
    return endpoint.hints === undefined ? errors : [...errors, ...hintErrors(endpoint.hints, `${at}.hints`)];
  });
}

function sliceAddress(address: string, type: string, at: string, position: number): FieldError[] {
  const path = `${at}[${String(position)}]`;
  if (type === "FQDN") return fullDomain(path, address);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const problem = addressProblem(address, type === "IPv6");
  if (problem !== undefined) return [invalid(path, address, problem)];
  // The other family is told of the list, not of the item.
  const other = isIpv4Text(address) === (type === "IPv4") ? [] : [invalid(at, address, `must be an ${type} address`)];
  return [...other, ...endpointAddress(path, address)];
}

function hintErrors({ forZones = [], forNodes = [] }: EndpointHints, at: string): FieldError[] {
  if (forZones.length > MOST_HINTS) return [tooMany(`${at}.forZones`, forZones.length, MOST_HINTS)];
  const names = (
    items: readonly { readonly name: string }[],
    path: string,
    check: (field: string, name: string) => FieldError[],
  ): FieldError[] => {
    const seen = new Set<string>();
    return items.flatMap(({ name }, index) => {
      const field = `${path}[${String(index)}].name`;
      const again = seen.has(name) ? [duplicate(field, name)] : [];
      seen.add(name);
      return [...again, ...check(field, name)];
    });
  };
  const errors = names(forZones, `${at}.forZones`, (field, name) =>
    labelValueErrors(name).map((detail) => invalid(field, name, detail)),
  );
  if (forNodes.length > MOST_HINTS) return [...errors, tooMany(`${at}.forNodes`, forNodes.length, MOST_HINTS)];
  return [...errors, ...names(forNodes, `${at}.forNodes`, dnsSubdomain)];
}

/** Errors of Endpoints. */
export function validateEndpoints({ subsets = [] }: Endpoints): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = `subsets[${String(index)}]`;
    return [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [required(at, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...addresses.flatMap((address, position) => oldAddress(address, `${at}.addresses[${String(position)}]`)),
      ...notReadyAddresses.flatMap((address, position) =>
        oldAddress(address, `${at}.notReadyAddresses[${String(position)}]`),
      ),
      ...ports.flatMap((port, position) => oldPort(port, ports.length > 1, `${at}.ports[${String(position)}]`)),
    ];
  });
}

/** Errors of changed Endpoints: subsets that stay as they are may be wrong. */
export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints): FieldError[] {
  return sameValue(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints);
}

function oldAddress({ ip, hostname = "", nodeName }: EndpointAddress, at: string): FieldError[] {
  return [
    ...ipAddress(`${at}.ip`, ip),
    ...(hostname === "" ? [] : dnsLabel(`${at}.hostname`, hostname)),
    ...(nodeName === undefined ? [] : dnsSubdomain(`${at}.nodeName`, nodeName)),
    ...endpointAddress(`${at}.ip`, ip),
  ];
}

function oldPort({ name = "", port, protocol, appProtocol }: OldPort, named: boolean, at: string): FieldError[] {
  const errors = name === "" ? (named ? [required(`${at}.name`)] : []) : dnsLabel(`${at}.name`, name);
  errors.push(...portNumber(`${at}.port`, port));
  if (((protocol as string | undefined) ?? "") === "") errors.push(required(`${at}.protocol`));
  else if (!PROTOCOLS.includes(protocol!)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
  return appProtocol === undefined ? errors : [...errors, ...qualifiedName(`${at}.appProtocol`, appProtocol)];
}
