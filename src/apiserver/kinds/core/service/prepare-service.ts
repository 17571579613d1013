import type { Service } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { throwInvalid } from "../../../errors/status.js";
import type { ApiObject } from "../../../objects/api-object.js";
import type { StrategyContext } from "../../shared/strategy-context.js";
import { isExternal, needsHealthCheck } from "./service-errors.js";
import { giveFamilies } from "./service-families.js";

type Spec = NonNullable<Service["spec"]>;

/**
 * Allocates families, addresses and ports of a new Service, unless it is created through `/status`. Throws 422 for
 * unavailable values.
 */
export function prepareService(service: Service, about: StrategyContext): void {
  delete service.status;
  const spec = (service.spec ??= {});
  if (about.subresource === "status") return;
  if ((spec.clusterIP ?? "") !== "" && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP!];
  refuse(service, giveFamilies(spec, undefined));
  about.allocate?.(service as ApiObject, undefined);
}

/** Keeps addresses and ports that an update omits. Throws 422 for unavailable values, 500 for duplicate ports. */
export function prepareServiceUpdate(service: Service, old: Service, about: StrategyContext): void {
  const spec = (service.spec ??= {});
  const before = old.spec ?? {};
  keepAddresses(spec, before);
  keepNodePorts(spec, before);
  if (
    needsHealthCheck(before) &&
    needsHealthCheck(spec) &&
    (spec.healthCheckNodePort ?? 0) === 0 &&
    before.healthCheckNodePort !== undefined
  )
    spec.healthCheckNodePort = before.healthCheckNodePort;
  refuse(service, giveFamilies(spec, before));
  about.allocate?.(service as ApiObject, old as ApiObject);
  dropForType(spec, before);
  if (spec.type !== "LoadBalancer" && service.status !== undefined) service.status.loadBalancer = {};
}

function refuse({ metadata }: Service, errors: readonly FieldError[]): void {
  throwInvalid({ group: "", kind: "Service" }, metadata?.name ?? "", errors);
}

/** Keeps the addresses that an update omits, and keeps `clusterIP` and `clusterIPs` consistent. */
function keepAddresses(spec: Spec, before: Spec): void {
  const known = before.clusterIPs ?? [];
  if (spec.type !== "ExternalName" && before.type !== "ExternalName") {
    if ((spec.clusterIP ?? "") === "" && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && known.length > 0) spec.clusterIPs = [...known];
  }
  const [now, then] = [spec.clusterIP ?? "", before.clusterIP ?? ""];
  if (known.length > 0 && (spec.clusterIPs ?? []).length === 0 && now === then) spec.clusterIPs = [...known];
  if (now === then || JSON.stringify(spec.clusterIPs ?? []) !== JSON.stringify(known)) return;
  if (now === "") delete spec.clusterIPs;
  else spec.clusterIPs = [now];
}

/** Drops fields that the new type doesn't use, if the old type used them and they are unchanged. */
function dropForType(spec: Spec, before: Spec): void {
  const uses: readonly (readonly [keyof Spec, (one: Spec) => boolean])[] = [
    ...(["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] as const).map(
      (key) => [key, (one: Spec) => one.type !== "ExternalName"] as const,
    ),
    ["externalTrafficPolicy", isExternal],
    ["healthCheckNodePort", needsHealthCheck],
    ...(["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const).map(
      (key) => [key, (one: Spec) => one.type === "LoadBalancer"] as const,
    ),
  ];
  for (const [key, needs] of uses) {
    if (needs(before) && !needs(spec) && JSON.stringify(spec[key]) === JSON.stringify(before[key]))
      Reflect.deleteProperty(spec, key);
  }
}

/** True if Services of this type have node ports. */
export function needsNodePorts(spec: Spec): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
}

const mayHaveNodePorts = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";

function keepNodePorts(spec: Spec, before: Spec): void {
  const given = (spec.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]));
  const known = new Set(before.ports?.map(({ nodePort }) => nodePort));
  if (mayHaveNodePorts(before) && !mayHaveNodePorts(spec) && given.every((port) => known.has(port)))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (!needsNodePorts(spec) || !needsNodePorts(before)) return;
  // Ports are matched by name.
  const byName = new Map(before.ports?.map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  const used = new Set(given.filter((port) => known.has(port)));
  for (const port of spec.ports ?? []) {
    const last = byName.get(port.name ?? "") ?? 0;
    if ((port.nodePort ?? 0) === 0 && last !== 0 && !used.has(last)) port.nodePort = last;
  }
}
