import { pushAll } from "../../../../internal/push-all.js";
import type { LoadBalancerIngress, Service } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { lenientAddress, rangeProblem } from "../../../objects/addresses.js";
import * as check from "../../shared/checks.js";
import { endpointAddress, isIpv4Text } from "../../shared/endpoint-addresses.js";
import { duplicate, forbidden, invalid, required } from "../../shared/field-errors.js";

type Spec = NonNullable<Service["spec"]>;

const hintsAnnotation = "service.kubernetes.io/topology-aware-hints";
const modeAnnotation = "service.kubernetes.io/topology-mode";
const sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Returns the errors of a new Service. */
export function validateService(service: Service): FieldError[] {
  return serviceErrors(service, undefined);
}

/** Validates a changed Service. Its addresses are immutable; invalid values that haven't changed may stay. */
export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const [now, before] = [service.spec ?? {}, old.spec ?? {}];
  const errors: FieldError[] = [];
  if (now.type !== "ExternalName" && before.type !== "ExternalName")
    pushAll(errors, addressChange(now, before), familyChange(now, before));
  if (
    now.type === "LoadBalancer" &&
    before.type === "LoadBalancer" &&
    now.loadBalancerClass !== before.loadBalancerClass
  )
    errors.push(invalid("spec.loadBalancerClass", now.loadBalancerClass, "may not change once set"));
  pushAll(errors, classErrors(now));
  if (needsHealthCheck(now) && needsHealthCheck(before) && now.healthCheckNodePort !== before.healthCheckNodePort)
    errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  return [...errors, ...serviceErrors(service, old)];
}

/** Returns the errors of a written status. */
export function validateServiceStatus({ spec = {}, status }: Service, old: Service): FieldError[] {
  const at = "status.loadBalancer.ingress";
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (spec.type !== "LoadBalancer" && ingress.length > 0)
    return [forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = new Set((old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  return check.eachItem(ingress, at, (each, path) => ingressErrors(each, known, path));
}

function ingressErrors(
  { ip = "", ipMode, hostname = "" }: LoadBalancerIngress,
  known: ReadonlySet<string | undefined>,
  at: string,
): FieldError[] {
  const errors = ip === "" || known.has(ip) ? [] : check.ipAddress(`${at}.ip`, ip);
  if (ipMode === undefined) {
    if (ip !== "") errors.push(required(`${at}.ipMode`, "must be specified when `ip` is set"));
  } else if (ip === "") errors.push(forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set"));
  else pushAll(errors, check.oneOf(`${at}.ipMode`, ipMode, ["Proxy", "VIP"]));
  return [...errors, ...hostErrors(`${at}.hostname`, hostname)];
}

/** Validates the host name in a load balancer's status. */
export function hostErrors(field: string, hostname: string): FieldError[] {
  if (hostname === "") return [];
  return [
    ...check.dnsSubdomain(field, hostname),
    ...(lenientAddress(hostname) === undefined
      ? []
      : [invalid(field, hostname, "must be a DNS name, not an IP address")]),
  ];
}

/** True if a Service has a health check port on its nodes. */
export function needsHealthCheck(spec: Spec): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

/** True if clients outside of the cluster can reach a Service. */
export function isExternal(spec: Spec): boolean {
  return (
    spec.type === "LoadBalancer" ||
    spec.type === "NodePort" ||
    (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0)
  );
}

const isHeadless = (spec: Spec): boolean => spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None";

function serviceErrors({ metadata, spec = {} }: Service, old: Service | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { annotations = {} } = metadata ?? {};
  if (
    annotations[modeAnnotation] !== undefined &&
    annotations[hintsAnnotation] !== undefined &&
    annotations[modeAnnotation] !== annotations[hintsAnnotation]
  )
    errors.push(
      invalid(
        `metadata.annotations[${modeAnnotation}]`,
        annotations[modeAnnotation],
        `must match annotations[${hintsAnnotation}]`,
      ),
    );
  const { type, ports = [] } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.push(required("spec.ports"));
  if (type === "LoadBalancer" || type === "NodePort") {
    if (isHeadless(spec))
      errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  } else if (type === "ExternalName") pushAll(errors, outsideErrors(spec));
  pushAll(
    errors,
    portErrors(ports),
    check.labels("spec.selector", spec.selector),
    affinityErrors(spec),
    clusterErrors(spec, old?.spec?.clusterIPs ?? []),
  );
  const known = new Set(old?.spec?.externalIPs);
  return [
    ...errors,
    ...check.eachItem(spec.externalIPs, "spec.externalIPs", (address, field) => {
      const wrong = known.has(address) ? [] : check.ipAddress(field, address);
      return wrong.length > 0 ? wrong : endpointAddress(field, address);
    }),
    ...check.requiredOneOf("spec.type", type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
    ...check.eachItem(ports, "spec.ports", ({ nodePort = 0 }, at) =>
      type === "ClusterIP" && nodePort !== 0
        ? [forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...repeatedPorts(ports),
    ...sourceErrors(spec, annotations, old),
    ...balancerErrors(spec),
    ...trafficErrors(spec),
  ];
}

function outsideErrors(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["clusterIPs", "ipFamilies"] as const)
    if ((spec[key] ?? []).length > 0) errors.push(forbidden(`spec.${key}`, "may not be set for ExternalName services"));
  if (spec.ipFamilyPolicy !== undefined)
    errors.push(forbidden("spec.ipFamilyPolicy", "may not be set for ExternalName services"));
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  return [...errors, ...check.requiredText("spec.externalName", name, check.dnsSubdomain)];
}

function portErrors(ports: NonNullable<Spec["ports"]>): FieldError[] {
  const names = new Set<string>();
  return check.eachItem(ports, "spec.ports", ({ name = "", port, protocol, targetPort, appProtocol }, at) => {
    const errors: FieldError[] = [];
    if (name === "") {
      if (ports.length > 1) errors.push(required(`${at}.name`));
    } else {
      pushAll(errors, check.dnsLabel(`${at}.name`, name));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    pushAll(
      errors,
      check.portNumber(`${at}.port`, port),
      check.requiredOneOf(`${at}.protocol`, protocol, check.protocols),
      check.portNumberOrName(`${at}.targetPort`, targetPort),
    );
    return appProtocol === undefined ? errors : [...errors, ...check.qualifiedName(`${at}.appProtocol`, appProtocol)];
  });
}

function affinityErrors({ sessionAffinity, sessionAffinityConfig: config }: Spec): FieldError[] {
  const at = "spec.sessionAffinityConfig";
  const errors = check.requiredOneOf("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]);
  if (sessionAffinity === "None" && config !== undefined)
    errors.push(forbidden(at, "must not be set when session affinity is None"));
  if (sessionAffinity !== "ClientIP") return errors;
  if (config === undefined) return [...errors, required(at)];
  if (config.clientIP === undefined) return [...errors, required(`${at}.clientIP`)];
  const seconds = config.clientIP.timeoutSeconds;
  if (seconds === undefined) return [...errors, required(`${at}.clientIP.timeoutSeconds`)];
  return [...errors, ...check.between(`${at}.clientIP.timeoutSeconds`, seconds, 1, 86400)];
}

/** Validates addresses and families before the allocation. `known`: addresses that the Service already has. */
export function clusterErrors(spec: Spec, known: readonly string[]): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const errors: FieldError[] = [];
  const {
    clusterIP: primary = "",
    clusterIPs: addresses = [],
    ipFamilies: families = [],
    ipFamilyPolicy: policy,
  } = spec;
  if (primary === "") {
    if (addresses.length > 0)
      errors.push(invalid("spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified"));
  } else if (addresses.length === 0) errors.push(required("spec.clusterIPs"));
  else if (addresses[0] !== primary)
    errors.push(invalid("spec.clusterIPs", addresses, "first value must match `clusterIP`"));
  const repeated = check.repeats(families);
  pushAll(
    errors,
    check.eachItem(families, "spec.ipFamilies", (family, at, index) => [
      ...check.oneOf(at, family, ["IPv4", "IPv6"]),
      ...(repeated.has(index) ? [duplicate(at, family)] : []),
    ]),
  );
  const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  pushAll(errors, check.optionalOneOf("spec.ipFamilyPolicy", policy, policies));
  const wrong = check.eachItem(addresses, "spec.clusterIPs", (address, at, index) => {
    if (index === 0 && address === "None")
      return addresses.length > 1
        ? [invalid("spec.clusterIPs", addresses, "'None' must be the first and only value")]
        : [];
    return known.includes(address) ? [] : check.ipAddress(at, address);
  });
  pushAll(errors, wrong);
  if (addresses.length > 2) errors.push(invalid("spec.clusterIPs", addresses, "may only hold up to 2 values"));
  if (wrong.length > 0) return errors;
  if (addresses.length > 1 && new Set(addresses.map(isIpv4Text)).size < 2)
    errors.push(invalid("spec.clusterIPs", addresses, "may specify no more than one IP for each IP family"));
  if (isHeadless(spec)) return errors;
  addresses.slice(0, families.length).forEach((address, index) => {
    const family = families[index];
    if ((family === "IPv4" || family === "IPv6") && isIpv4Text(address) !== (family === "IPv4"))
      errors.push(invalid(`spec.clusterIPs[${String(index)}]`, address, `must be an ${family} address`));
  });
  return errors;
}

function repeatedPorts(ports: NonNullable<Spec["ports"]>): FieldError[] {
  const taken = new Set<string>();
  const again = (key: string): boolean => taken.has(key) || !taken.add(key);
  return [
    ...check.eachItem(ports, "spec.ports", ({ protocol = "", nodePort = 0 }, at) =>
      nodePort !== 0 && again(`node ${protocol} ${String(nodePort)}`) ? [duplicate(`${at}.nodePort`, nodePort)] : [],
    ),
    ...check.eachItem(ports, "spec.ports", ({ protocol = "", port }, at) =>
      again(`${protocol} ${String(port)}`) ? [duplicate(at, { protocol, port })] : [],
    ),
  ];
}

/** Validates the source ranges, in the spec or in the older annotation. */
function sourceErrors(
  spec: Spec,
  annotations: Readonly<Record<string, string>>,
  old: Service | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const only = (field: string): void => {
    if (spec.type !== "LoadBalancer") errors.push(forbidden(field, "may only be used when `type` is 'LoadBalancer'"));
  };
  const wrong = (field: string, text: string): FieldError[] => {
    const problem = rangeProblem(text, false);
    return problem === undefined ? [] : [invalid(field, text, problem)];
  };
  if (ranges.length > 0) {
    only("spec.LoadBalancerSourceRanges");
    const known = new Set((old?.spec?.loadBalancerSourceRanges ?? []).map((text) => text.trim()));
    const found = check.eachItem(ranges, "spec.LoadBalancerSourceRanges", (range, at) => {
      const text = range.trim();
      return known.has(text) ? [] : wrong(at, text);
    });
    pushAll(errors, found);
  } else if (annotations[sourceRangesAnnotation] !== undefined) {
    const field = `metadata.annotations[${sourceRangesAnnotation}]`;
    only(field);
    const text = annotations[sourceRangesAnnotation].trim();
    if (text !== "" && old?.metadata?.annotations?.[sourceRangesAnnotation] !== annotations[sourceRangesAnnotation])
      pushAll(
        errors,
        check.eachItem(text.split(","), field, (range) => wrong(field, range.trim())),
      );
  }
  return errors;
}

function balancerErrors(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const { allocateLoadBalancerNodePorts: allocate } = spec;
  if (allocate !== undefined && spec.type !== "LoadBalancer")
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'"));
  if (allocate === undefined && spec.type === "LoadBalancer") errors.push(required("allocateLoadBalancerNodePorts"));
  return [...errors, ...classErrors(spec)];
}

function classErrors({ type, loadBalancerClass: name }: Spec): FieldError[] {
  if (name === undefined) return [];
  return type === "LoadBalancer"
    ? check.qualifiedName("spec.loadBalancerClass", name)
    : [forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'")];
}

function trafficErrors(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const {
    type,
    externalTrafficPolicy: external,
    internalTrafficPolicy: internal,
    trafficDistribution: distribution,
    healthCheckNodePort: health = 0,
  } = spec;
  if (isExternal(spec))
    pushAll(errors, check.requiredOneOf("spec.externalTrafficPolicy", external, ["Cluster", "Local"]));
  else if (((external as string | undefined) ?? "") !== "")
    errors.push(invalid("spec.externalTrafficPolicy", external, "may only be set for externally-accessible services"));
  if (!needsHealthCheck(spec)) {
    if (health !== 0)
      errors.push(
        invalid("spec.healthCheckNodePort", health, "may only be set for load balancers with local traffic only"),
      );
  } else if (health !== 0) pushAll(errors, check.portNumber("spec.healthCheckNodePort", health));
  if (internal === undefined) {
    if (type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP")
      errors.push(required("spec.internalTrafficPolicy"));
  } else pushAll(errors, check.oneOf("spec.internalTrafficPolicy", internal, ["Cluster", "Local"]));
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  return [...errors, ...check.optionalOneOf("spec.trafficDistribution", distribution, distributions)];
}

function addressChange(now: Spec, before: Spec): FieldError[] {
  if (isHeadless(now) && isHeadless(before)) return [];
  const field = (index: number): string => `spec.clusterIPs[${String(index)}]`;
  return stackChange(now, now.clusterIPs, before.clusterIPs, field);
}

function familyChange(now: Spec, before: Spec): FieldError[] {
  if (isHeadless(now) || isHeadless(before)) return [];
  return stackChange(now, now.ipFamilies, before.ipFamilies, () => "spec.ipFamilies[0]");
}

/** Validates a changed list of addresses or families: only the secondary one may be added or released. */
function stackChange(
  { clusterIPs = [], ipFamilyPolicy }: Spec,
  now: readonly string[] = [],
  before: readonly string[] = [],
  field: (index: number) => string,
): FieldError[] {
  const errors: FieldError[] = [];
  const released = before.length > now.length;
  if (released && clusterIPs.length === 0) errors.push(invalid(field(0), null, "the primary can not be unset"));
  const kept = now.length === before.length ? now.length : Math.min(now.length, before.length, 1);
  now.slice(0, kept).forEach((value, index) => {
    if (value !== before[index]) errors.push(invalid(field(index), now, "may not change once set"));
  });
  if (released && now.length === 1 && ipFamilyPolicy !== "SingleStack")
    errors.push(invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "must be 'SingleStack' to release the secondary"));
  return errors;
}
