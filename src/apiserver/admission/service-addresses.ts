import type { Service } from "../../kinds/core/v1.js";
import type { AdmissionPlugin } from "../core.js";
import type { FieldError } from "../schema/field-error.js";
import { needsNodePorts } from "../registry/strategies/prepare/prepare-service.js";
import { throwInvalid } from "../status.js";
import type { ServiceAllocations } from "./service-allocations.js";
import { serviceAllocations } from "./service-allocations.js";

type Spec = NonNullable<Service["spec"]>;

/** Addresses that Services are given, from 10.0.0.2 on. */
const ADDRESSES = 65_533;
const NODE_PORTS = { first: 30000, last: 32767 };

/**
 * Gives Services their cluster addresses, out of 10.0.0.0/16, and their ports on nodes. A real server does so after an
 * object was found valid, and so does this: it is the one step that changes an object while validating.
 */
export const serviceAddresses: AdmissionPlugin = {
  name: "ServiceAddresses",
  validate({ operation, resource, subresource, object, old, name, dryRun }, { core }) {
    if (resource.group !== "" || resource.resource !== "services" || subresource !== "" || object === undefined) return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    const service = object as Service;
    const spec = service.spec;
    if (spec === undefined || spec.type === "ExternalName") return;
    const own = `${service.metadata?.namespace ?? ""}/${service.metadata?.name ?? name}`;
    const allocations = serviceAllocations(core);
    const errors = [...giveAddress(spec, own, allocations, dryRun), ...giveNodePorts(spec, (old as Service | undefined)?.spec, own, allocations, dryRun)];
    throwInvalid({ group: "", kind: "Service" }, service.metadata?.name ?? name, errors);
  },
};

function giveAddress(spec: Spec, own: string, { addresses }: ServiceAllocations, dryRun: boolean): FieldError[] {
  const wanted = spec.clusterIP ?? "";
  if (wanted === "None") return [];
  const taken = (address: string): boolean => (addresses.get(address) ?? own) !== own;
  const wrong = (detail: string): FieldError[] => [{ type: "FieldValueInvalid", field: "spec.clusterIPs", value: spec.clusterIPs ?? [wanted], detail: `failed to allocate IP ${wanted}: ${detail}` }];
  if (wanted !== "") {
    // A trial asks the range itself, all else asks first which range it is.
    if (!wanted.startsWith("10.0.")) return wrong(dryRun ? `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is 10.0.0.0/16` : "the provided network does not match the current range");
    return taken(wanted) ? wrong("provided IP is already allocated") : [];
  }
  // A start at random finds a free one at once, as long as there are some. Few Services stay in the lowest 253, as in a small cluster.
  const start = Math.floor(Math.random() * (addresses.size < 200 ? 253 : ADDRESSES));
  for (let step = 0; step < ADDRESSES; step += 1) {
    const offset = 2 + ((start + step) % ADDRESSES);
    const address = `10.0.${String(offset >> 8)}.${String(offset & 255)}`;
    if (taken(address)) continue;
    spec.clusterIP = address;
    spec.clusterIPs = [address];
    return [];
  }
  return [{ type: "InternalError", field: "spec.clusterIPs", detail: "failed to allocate a serviceIP: range is full" }];
}

/** Gives every port one on the nodes. As far as others are concerned the same number of another protocol is the same port. */
function giveNodePorts(spec: Spec, before: Spec | undefined, own: string, { nodePorts }: ServiceAllocations, dryRun: boolean): FieldError[] {
  const given = new Set<number>();
  const taken = (number: number): boolean => given.has(number) || (nodePorts.get(number) ?? own) !== own;
  const free = (): number => {
    const range = NODE_PORTS.last - NODE_PORTS.first + 1;
    const start = Math.floor(Math.random() * range);
    let step = 0;
    while (step < range && taken(NODE_PORTS.first + ((start + step) % range))) step += 1;
    return step === range ? 0 : NODE_PORTS.first + ((start + step) % range);
  };
  const ports = spec.ports ?? [];
  const known = new Set((before?.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const errors: FieldError[] = [];
  const take = (number: number, index: number): void => {
    const outside = number < NODE_PORTS.first || number > NODE_PORTS.last;
    const detail = taken(number) ? "provided port is already allocated" : outside && !dryRun ? "provided port is not in the valid range. The range of valid ports is 30000-32767" : undefined;
    if (detail !== undefined) errors.push({ type: "FieldValueInvalid", field: `spec.ports[${String(index)}].nodePort`, value: number, detail });
    given.add(number);
  };
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") {
    // The same port in two protocols gets the same port on the nodes.
    const twins = new Map<number, number>();
    ports.forEach((port, index) => {
      const asked = port.nodePort ?? 0;
      if (asked === 0 && !needsNodePorts(spec)) return;
      if (before !== undefined) {
        if (asked === 0) given.add((port.nodePort = free()));
        else if (!known.has(asked) && !given.has(asked)) take(asked, index);
        return;
      }
      const twin = twins.get(port.port);
      if (twin !== undefined) {
        if (asked === 0) port.nodePort = twin;
        else if (asked !== twin) take(asked, index);
        return;
      }
      const wanted = ports.find((each) => each.port === port.port && (each.nodePort ?? 0) !== 0)?.nodePort;
      if (wanted !== undefined) take(wanted, index);
      port.nodePort = wanted ?? free();
      given.add(port.nodePort);
      twins.set(port.port, port.nodePort);
    });
  }
  if (spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local") {
    if ((spec.healthCheckNodePort ?? 0) === 0) spec.healthCheckNodePort = free();
  } else delete spec.healthCheckNodePort;
  // A real server stops at the first.
  return errors.slice(0, 1);
}
