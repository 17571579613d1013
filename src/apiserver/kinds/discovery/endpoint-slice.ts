import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { addressProblem } from "../../objects/addresses.js";
import { addressWarnings } from "../shared/address-warnings.js";
import * as check from "../shared/checks.js";
import { endpointAddress, isIpv4Text } from "../shared/endpoint-addresses.js";
import { invalid, required, tooMany } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { firstFew } from "../shared/kind-printer.js";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const mostEndpoints = 1000;
const mostPorts = 20_000;
const mostAddresses = 100;
const mostTopology = 16;
const mostHints = 8;

const endpointsOf = ({ endpoints }: EndpointSlice): readonly Endpoint[] =>
  (endpoints as readonly Endpoint[] | null) ?? [];

function validate(slice: EndpointSlice): FieldError[] {
  const endpoints = endpointsOf(slice);
  return [
    ...check.requiredOneOf("addressType", slice.addressType, addressTypes),
    ...portErrors(slice.ports ?? []),
    ...(endpoints.length > mostEndpoints
      ? [tooMany("endpoints", endpoints.length, mostEndpoints)]
      : check.eachItem(endpoints, "endpoints", (endpoint, at) => endpointErrors(endpoint, slice.addressType, at))),
  ];
}

/** Validates a change; endpoints are validated only if one of them has changed. */
function validateUpdate(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  return [
    ...validate(check.sameValue(slice.endpoints, old.endpoints) ? { ...slice, endpoints: [] } : slice),
    ...check.immutable("addressType", slice.addressType, old.addressType),
  ];
}

function portErrors(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > mostPorts) return [tooMany("ports", ports.length, mostPorts)];
  return [
    ...check.eachItem(ports, "ports", ({ name, protocol, appProtocol }, at) => [
      ...check.optionalText(`${at}.name`, name, check.dnsLabel),
      ...(protocol === undefined
        ? [required(`${at}.protocol`)]
        : check.oneOf(`${at}.protocol`, protocol, check.protocols)),
      ...(appProtocol === undefined ? [] : check.qualifiedName(`${at}.appProtocol`, appProtocol)),
    ]),
    ...check.duplicates(
      ports.map(({ name = "" }) => name),
      (index) => `ports[${String(index)}].name`,
    ),
  ];
}

function endpointErrors(endpoint: Endpoint, type: string, at: string): FieldError[] {
  const { nodeName, hostname, hints, deprecatedTopology: topology = {} } = endpoint;
  const addresses = (endpoint.addresses as readonly string[] | null) ?? [];
  const keys = Object.keys(topology).length;
  return [
    ...(addresses.length === 0 ? [required(`${at}.addresses`)] : []),
    ...(addresses.length > mostAddresses ? [tooMany(`${at}.addresses`, addresses.length, mostAddresses)] : []),
    ...check.eachItem(addresses, `${at}.addresses`, (address, path) =>
      addressErrors(address, type, path, `${at}.addresses`),
    ),
    ...(nodeName === undefined ? [] : check.dnsSubdomain(`${at}.nodeName`, nodeName)),
    ...(keys > mostTopology ? [tooMany(`${at}.deprecatedTopology`, keys, mostTopology)] : []),
    ...check.labels(`${at}.deprecatedTopology`, topology),
    ...(hostname === undefined ? [] : check.dnsLabel(`${at}.hostname`, hostname)),
    ...(hints === undefined ? [] : hintErrors(hints, `${at}.hints`)),
  ];
}

function addressErrors(address: string, type: string, path: string, at: string): FieldError[] {
  if (type === "FQDN") return check.fullDomain(path, address);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const problem = addressProblem(address, type === "IPv6");
  if (problem !== undefined) return [invalid(path, address, problem)];
  // A wrong family is an error of the list, not of the item.
  const other = isIpv4Text(address) === (type === "IPv4") ? [] : [invalid(at, address, `must be an ${type} address`)];
  return [...other, ...endpointAddress(path, address)];
}

function hintErrors({ forZones = [], forNodes = [] }: EndpointHints, at: string): FieldError[] {
  const zones = `${at}.forZones`;
  const nodes = `${at}.forNodes`;
  if (forZones.length > mostHints) return [tooMany(zones, forZones.length, mostHints)];
  return [
    ...hintNames(forZones, zones, check.labelValue),
    ...(forNodes.length > mostHints
      ? [tooMany(nodes, forNodes.length, mostHints)]
      : hintNames(forNodes, nodes, check.dnsSubdomain)),
  ];
}

function hintNames(
  items: readonly { readonly name: string }[],
  at: string,
  validateName: (field: string, name: string) => FieldError[],
): FieldError[] {
  const names = items.map(({ name }) => name);
  return [
    ...check.duplicates(names, (index) => `${at}[${String(index)}].name`),
    ...check.eachItem(names, at, (name, path) => validateName(`${path}.name`, name)),
  ];
}

/** Removes the endpoints' topology, a field of a version that is no longer served. */
function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of endpointsOf(slice)) delete endpoint.deprecatedTopology;
}

const fewOrUnset = (list: readonly string[]): string => firstFew(list, 3) || "<unset>";

export const endpointSlice: KindDefinition = defineBuiltin<EndpointSlice>({
  resource: "discovery.k8s.io/endpointslices",
  generation: { counts: "fromOne", metadata: "labels", beforePreparation: true },
  metadata: { checkedAsNew: "everywhere" },
  defaults: {
    "io.k8s.api.discovery.v1.EndpointPort": (port: EndpointPort) => {
      port.name ??= "";
      port.protocol ??= "TCP";
    },
  },
  prepare: { create: dropTopology, update: dropTopology },
  validate: { create: validate, update: validateUpdate },
  warnings: (slice, old) => [
    ...(old === undefined && slice.addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...check.eachItem(endpointsOf(slice), "endpoints", ({ addresses }, at) =>
      check.eachItem(addresses, `${at}.addresses`, (address, place) => addressWarnings(place, address)),
    ),
  ],
  printer: {
    columns: "AddressType,Ports,Endpoints,Age",
    cells: (slice, age) => [
      slice.addressType,
      fewOrUnset((slice.ports ?? []).map((port) => String(port.port ?? port.name ?? "*"))),
      fewOrUnset(endpointsOf(slice).flatMap(({ addresses }) => addresses)),
      age,
    ],
  },
});
