import type { Service } from "../../../../kinds/core/v1.js";

type Spec = NonNullable<Service["spec"]>;

/** What a server makes of a new Service, but for the addresses it gives it. */
export function prepareService(service: Service): void {
  delete service.status;
  const spec = (service.spec ??= {});
  if (spec.clusterIP !== undefined && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  defaultFamilies(spec);
}

/** Keeps what was given to a Service where the change says nothing about it. */
export function prepareServiceUpdate(service: Service, old: Service): void {
  const spec = (service.spec ??= {});
  const before = old.spec ?? {};
  dropForType(spec, before);
  if (spec.type === "ExternalName") {
    keepNodePorts(spec, before);
    return;
  }
  if (before.type !== "ExternalName" && spec.clusterIP === undefined && (spec.clusterIPs ?? []).length === 0) {
    if (before.clusterIP !== undefined) spec.clusterIP = before.clusterIP;
    if (before.clusterIPs !== undefined) spec.clusterIPs = [...before.clusterIPs];
  }
  if (spec.clusterIP !== undefined && spec.clusterIP !== before.clusterIP && JSON.stringify(spec.clusterIPs ?? []) === JSON.stringify(before.clusterIPs ?? [])) {
    spec.clusterIPs = [spec.clusterIP, ...(spec.clusterIPs ?? []).slice(1)];
  } else if (spec.clusterIP !== undefined && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  if (spec.ipFamilies === undefined && before.ipFamilies !== undefined) spec.ipFamilies = [...before.ipFamilies];
  if (spec.ipFamilyPolicy === undefined && before.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy = before.ipFamilyPolicy;
  keepNodePorts(spec, before);
  defaultFamilies(spec);
}

/** Takes away what the new type has no use for, if it was there for the old one and nobody changed it. */
function dropForType(spec: Spec, before: Spec): void {
  const uses: readonly (readonly [keyof Spec, (one: Spec) => boolean])[] = [
    ...(["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] as const).map((key) => [key, (one: Spec) => one.type !== "ExternalName"] as const),
    ["externalTrafficPolicy", isExternal],
    ...(["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const).map((key) => [key, (one: Spec) => one.type === "LoadBalancer"] as const),
  ];
  for (const [key, needs] of uses) {
    if (needs(before) && !needs(spec) && JSON.stringify(spec[key]) === JSON.stringify(before[key])) Reflect.deleteProperty(spec, key);
  }
}

function isExternal(spec: Spec): boolean {
  return spec.type === "LoadBalancer" || spec.type === "NodePort" || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
}

/** The server has one range of addresses, of IPv4. */
function defaultFamilies(spec: Spec): void {
  if (spec.type === "ExternalName") return;
  const headlessWithoutSelector = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilies ??= (spec.clusterIP ?? "").includes(":") ? ["IPv6"] : ["IPv4"];
  spec.ipFamilyPolicy ??= headlessWithoutSelector ? "RequireDualStack" : "SingleStack";
  if (headlessWithoutSelector && spec.ipFamilyPolicy === "RequireDualStack" && spec.ipFamilies.length === 1) spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"];
}

/** Whether Services of this type have ports on every node. */
export function needsNodePorts(spec: Spec): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
}

const mayHaveNodePorts = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";

function keepNodePorts(spec: Spec, before: Spec): void {
  const given = (spec.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]));
  const known = new Set(before.ports?.map(({ nodePort }) => nodePort));
  if (mayHaveNodePorts(before) && !mayHaveNodePorts(spec) && given.every((port) => known.has(port))) for (const port of spec.ports ?? []) delete port.nodePort;
  if (!needsNodePorts(spec) || !needsNodePorts(before)) return;
  // A port is known by its name, whatever else of it has changed.
  const byName = new Map(before.ports?.map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  const used = new Set(given.filter((port) => known.has(port)));
  for (const port of spec.ports ?? []) {
    const last = byName.get(port.name ?? "") ?? 0;
    if ((port.nodePort ?? 0) === 0 && last !== 0 && !used.has(last)) port.nodePort = last;
  }
}
