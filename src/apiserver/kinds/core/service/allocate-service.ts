import { greatest } from "../../../../internal/extremes.js";
import type { Service } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { internalError, rawError, throwInvalid } from "../../../errors/status.js";
import { firstBy } from "../../../internal/group-by.js";
import type { MvccStore } from "../../../storage/mvcc.js";
import { invalid } from "../../shared/field-errors.js";
import { needsNodePorts } from "./prepare-service.js";
import type { ServiceAllocations } from "./service-allocations.js";
import { isWithheld, reserveAllocations, serviceAllocations } from "./service-allocations.js";
import { needsHealthCheck } from "./service-errors.js";
import { addressText, isInRange, type ServiceRange, serviceRanges } from "./service-ranges.js";

type Spec = NonNullable<Service["spec"]>;

/**
 * Range of node ports. Allocation starts at `start` and uses the lowest `kept` last, so that fixed numbers in tests and
 * manifests stay free.
 */
const nodePortRange = { first: 30000, last: 32767, kept: 86, start: 1871 };
/** First port in a dry run. */
const dryRunPort = 32768;

/**
 * Allocates the cluster IP of a Service from the ranges of the ServiceCIDRs, and its node ports, before the Service is
 * validated. Dry runs get values outside of the ranges. Throws 422 for unavailable values, and 500 for duplicate node
 * ports. Returns a function to call when the write is over.
 */
export function allocateService(
  store: MvccStore,
  service: Service,
  old: Service | undefined,
  dryRun: boolean,
): (() => void) | undefined {
  const { spec, metadata } = service;
  if (spec === undefined || spec.type === "ExternalName") return undefined;
  const name = metadata?.name ?? "";
  const own = `${metadata?.namespace ?? ""}/${name}`;
  const check = (errors: readonly FieldError[]): void => throwInvalid({ group: "", kind: "Service" }, name, errors);
  // A Service that was created without an address, through `/status`, stays without one.
  if (old === undefined || old.spec?.type === "ExternalName") check(giveAddress(spec, { name, own }, store, dryRun));
  check(giveNodePorts(spec, old?.spec, portsFor(own, serviceAllocations(store), dryRun)));
  return dryRun ? undefined : reserveAllocations(store, own, service);
}

function giveAddress(
  spec: Spec,
  { name, own }: { readonly name: string; readonly own: string },
  store: MvccStore,
  dryRun: boolean,
): FieldError[] {
  const wanted = spec.clusterIP ?? "";
  if (wanted === "None") return [];
  const { addresses } = serviceAllocations(store);
  const ranges = serviceRanges(store);
  const taken = (address: string): boolean =>
    (addresses.get(address) ?? own) !== own || (!dryRun && isWithheld(store, address));
  const wrong = (detail: string): FieldError[] => [
    invalid("spec.clusterIPs", spec.clusterIPs ?? [wanted], `failed to allocate IP ${wanted}: ${detail}`),
  ];
  // kube-apiserver stores an IPAddress that refers to the Service by name.
  const nameless = (): FieldError[] => wrong("the Service has no name");
  if (wanted !== "") {
    if (!isInRange(wanted, ranges))
      return wrong(
        dryRun
          ? `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${ranges[0]?.text ?? ""}`
          : "the provided network does not match the current range",
      );
    if (taken(wanted)) return wrong("provided IP is already allocated");
    return name === "" && !dryRun ? nameless() : [];
  }
  const address = dryRun ? ranges[0]?.text.split("/")[0] : freeAddress(ranges, addresses.size, taken);
  if (address === undefined)
    return [
      { type: "InternalError", field: "spec.clusterIPs", detail: "failed to allocate a serviceIP: range is full" },
    ];
  if (name === "" && !dryRun) return nameless();
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  return [];
}

/** Returns the first free offset from `start`, then from `kept`, and then one of the lowest. */
function freeFrom(
  { count, kept }: { readonly count: number; readonly kept: number },
  start: number,
  free: (offset: number) => boolean,
): number | undefined {
  for (let step = 0; step < count - kept; step += 1) {
    const offset = kept + ((start - kept + step) % (count - kept));
    if (free(offset)) return offset;
  }
  for (let offset = kept - 1; offset >= 0; offset -= 1) if (free(offset)) return offset;
  return undefined;
}

/** Returns a free address of the first range that has one. The search starts after the number of allocated ones. */
function freeAddress(
  ranges: readonly ServiceRange[],
  allocated: number,
  taken: (address: string) => boolean,
): string | undefined {
  for (const { automatic } of ranges) {
    const addressAt = (offset: number): string => addressText(automatic.first + offset);
    const offset = freeFrom(automatic, automatic.start + allocated, (each) => !taken(addressAt(each)));
    if (offset !== undefined) return addressAt(offset);
  }
  return undefined;
}

/** Node port allocations of one request. */
interface Ports {
  /** Allocates a port. Returns the reason if it isn't available. */
  take(number: number): string | undefined;
  /** Allocates a free port; returns 0 if all are taken. */
  next(): number;
}

function portsFor(own: string, { nodePorts }: ServiceAllocations, dryRun: boolean): Ports {
  const given = new Set<number>();
  const taken = (number: number): boolean => given.has(number) || (nodePorts.get(number) ?? own) !== own;
  return {
    take(number) {
      if (taken(number)) return "provided port is already allocated";
      if (!dryRun && (number < nodePortRange.first || number > nodePortRange.last))
        return "provided port is not in the valid range. The range of valid ports is 30000-32767";
      given.add(number);
      return undefined;
    },
    next() {
      const { first, last, kept, start } = nodePortRange;
      const offset = dryRun
        ? undefined
        : freeFrom({ count: last - first + 1, kept }, start + nodePorts.size, (each) => !taken(first + each));
      const number = dryRun
        ? (given.size === 0 ? dryRunPort : greatest(given)) + 1
        : offset === undefined
          ? 0
          : first + offset;
      given.add(number);
      return number;
    },
  };
}

function giveNodePorts(spec: Spec, before: Spec | undefined, ports: Ports): FieldError[] {
  const errors =
    spec.type !== "NodePort" && spec.type !== "LoadBalancer"
      ? []
      : before === undefined
        ? givePorts(spec, ports)
        : giveOtherPorts(spec, before, ports);
  if (errors.length > 0 || !needsHealthCheck(spec) || (before !== undefined && needsHealthCheck(before))) return errors;
  const requested = spec.healthCheckNodePort ?? 0;
  const problem = requested === 0 ? undefined : ports.take(requested);
  if (problem !== undefined)
    throw internalError(`failed to allocate requested HealthCheck NodePort ${String(requested)}: ${problem}`);
  if (requested === 0) spec.healthCheckNodePort = ports.next();
  return [];
}

const wrongPort = (index: number, value: number, detail: string): FieldError =>
  invalid(`spec.ports[${String(index)}].nodePort`, value, detail);

/**
 * Allocates the node ports of a new Service. One port in two protocols gets one node port. Stops at the first error.
 */
function givePorts(spec: Spec, ports: Ports): FieldError[] {
  const byPort = new Map<number, number>();
  const requestedByPort = firstBy(
    spec.ports?.filter(({ nodePort = 0 }) => nodePort !== 0),
    ({ port }) => port,
  );
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const requested = port.nodePort ?? 0;
    if (requested === 0 && !needsNodePorts(spec)) continue;
    const known = byPort.get(port.port);
    if (known === undefined) {
      const wanted = requested === 0 ? (requestedByPort.get(port.port)?.nodePort ?? 0) : requested;
      const problem = wanted === 0 ? undefined : ports.take(wanted);
      if (problem !== undefined) return [wrongPort(index, wanted, problem)];
      port.nodePort = wanted === 0 ? ports.next() : wanted;
      byPort.set(port.port, port.nodePort);
    } else if (requested === 0) port.nodePort = known;
    else if (requested !== known) {
      const problem = ports.take(requested);
      if (problem !== undefined) return [wrongPort(index, requested, problem)];
    }
  }
  return [];
}

/** Allocates the node ports of a changed Service, which keeps existing ones. Throws 500 for a duplicate. */
function giveOtherPorts(spec: Spec, before: Spec, ports: Ports): FieldError[] {
  const had = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
  const taken = new Set<number>();
  const now = new Set<string>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const requested = port.nodePort ?? 0;
    if (requested === 0 && !needsNodePorts(spec)) continue;
    if (requested === 0) port.nodePort = ports.next();
    else if (!had.has(requested) && !taken.has(requested)) {
      const problem = ports.take(requested);
      if (problem !== undefined) return [wrongPort(index, requested, problem)];
      taken.add(requested);
    }
    const shown = `{${port.protocol ?? "TCP"} ${String(port.nodePort)}}`;
    if (now.has(shown)) throw rawError(`duplicate nodePort: ${shown}`);
    now.add(shown);
  }
  return [];
}
