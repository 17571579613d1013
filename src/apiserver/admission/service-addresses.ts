import type { Service } from "../../kinds/core/v1.js";
import type { AdmissionPlugin } from "../core.js";
import type { FieldError } from "../schema/field-error.js";
import { needsNodePorts } from "../registry/strategies/prepare/prepare-service.js";
import { throwInvalid } from "../status.js";
import type { ServiceAllocations } from "./service-allocations.js";
import { serviceAllocations } from "./service-allocations.js";

type Spec = NonNullable<Service["spec"]>;
type Port = NonNullable<Spec["ports"]>[number];

/** Addresses that Services are given, from 10.0.0.2 on. */
const ADDRESSES = 65_533;
const NODE_PORTS = { first: 30000, last: 32767 };

/**
 * Gives Services their cluster addresses, out of 10.0.0.0/16, and their ports on nodes. A real server does so after an
 * object was found valid, and so does this: it is the one step that changes an object while validating.
 */
export const serviceAddresses: AdmissionPlugin = {
  name: "ServiceAddresses",
  validate({ operation, resource, subresource, object, name }, { core }) {
    if (resource.group !== "" || resource.resource !== "services" || subresource !== "" || object === undefined) return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    const service = object as Service;
    const spec = service.spec;
    if (spec === undefined || spec.type === "ExternalName") return;
    const own = `${service.metadata?.namespace ?? ""}/${service.metadata?.name ?? name}`;
    const allocations = serviceAllocations(core);
    const errors = [...giveAddress(spec, own, allocations), ...giveNodePorts(spec, own, allocations)];
    throwInvalid({ group: "", kind: "Service" }, service.metadata?.name ?? name, errors);
  },
};

function giveAddress(spec: Spec, own: string, { addresses }: ServiceAllocations): FieldError[] {
  const wanted = spec.clusterIP ?? "";
  if (wanted === "None") return [];
  const taken = (address: string): boolean => (addresses.get(address) ?? own) !== own;
  const wrong = (detail: string): FieldError[] => [{ type: "FieldValueInvalid", field: "spec.clusterIPs", value: spec.clusterIPs ?? [wanted], detail: `failed to allocate IP ${wanted}: ${detail}` }];
  if (wanted !== "") {
    if (!wanted.startsWith("10.0.")) return wrong("the provided network does not match the current range");
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

function giveNodePorts(spec: Spec, own: string, { nodePorts }: ServiceAllocations): FieldError[] {
  const given = new Set<string>();
  const taken = (key: string): boolean => given.has(key) || (nodePorts.get(key) ?? own) !== own;
  const free = (port: Pick<Port, "protocol">): number => {
    const range = NODE_PORTS.last - NODE_PORTS.first + 1;
    const start = Math.floor(Math.random() * range);
    for (let step = 0; step < range; step += 1) {
      const number = NODE_PORTS.first + ((start + step) % range);
      if (!taken(keyOf(port, number))) return number;
    }
    return 0;
  };
  const errors: FieldError[] = [];
  if (needsNodePorts(spec)) {
    (spec.ports ?? []).forEach((port, index) => {
      const number = port.nodePort ?? 0;
      if (number === 0) return;
      const wrong = (detail: string): void => {
        errors.push({ type: "FieldValueInvalid", field: `spec.ports[${String(index)}].nodePort`, value: number, detail });
      };
      if (number < NODE_PORTS.first || number > NODE_PORTS.last) wrong("provided port is not in the valid range. The range of valid ports is 30000-32767");
      else if (taken(keyOf(port, number))) wrong("provided port is already allocated");
      given.add(keyOf(port, number));
    });
    for (const port of spec.ports ?? []) {
      if ((port.nodePort ?? 0) !== 0) continue;
      // The same port in two protocols gets the same port on the nodes.
      const twin = spec.ports?.find((each) => each !== port && each.port === port.port && each.protocol !== port.protocol && (each.nodePort ?? 0) !== 0)?.nodePort;
      port.nodePort = twin !== undefined && !taken(keyOf(port, twin)) ? twin : free(port);
      given.add(keyOf(port, port.nodePort));
    }
  }
  if (spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local") {
    if ((spec.healthCheckNodePort ?? 0) === 0) spec.healthCheckNodePort = free({ protocol: "TCP" });
  } else delete spec.healthCheckNodePort;
  return errors;
}

function keyOf(port: Pick<Port, "protocol">, number: number): string {
  return `${port.protocol ?? "TCP"}/${String(number)}`;
}
