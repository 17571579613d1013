import type { Service } from "../../../../kinds/core/v1.js";
import type { Ingress, IngressBackend } from "../../../../kinds/networking/v1.js";
import type { FieldError } from "../../../schema/field-error.js";
import { dnsLabel, dnsSubdomain, duplicate, forbidden, immutable, invalid, labels, notSupported, portName, portNumber, portNumberOrName, qualifiedName, required } from "./field-errors.js";

/** Errors of a Service. */
export function validateService({ spec = {} }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const { type, ports = [] } = spec;
  const headless = spec.clusterIPs?.[0] === "None" || spec.clusterIP === "None";
  if (ports.length === 0 && !headless && type !== "ExternalName") errors.push(required("spec.ports"));
  if (headless && (type === "LoadBalancer" || type === "NodePort")) errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  if (type === "ExternalName") {
    if ((spec.clusterIPs ?? []).length > 0) errors.push(forbidden("spec.clusterIPs", "may not be set for ExternalName services"));
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    errors.push(...(name === "" ? [required("spec.externalName")] : dnsSubdomain("spec.externalName", name)));
  }
  errors.push(...portErrors(spec), ...labels("spec.selector", spec.selector));
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity === "ClientIP" && seconds !== undefined && (seconds <= 0 || seconds > 86400)) errors.push(invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds, "must be between 1 and 86400, inclusive"));
  if (type !== "ExternalName") errors.push(...addressErrors(spec));
  (spec.externalIPs ?? []).forEach((address, index) => {
    if (!isAddress(address)) errors.push(invalid(`spec.externalIPs[${String(index)}]`, address, NOT_AN_ADDRESS));
  });
  if (type === "ClusterIP") {
    ports.forEach((port, index) => {
      if ((port.nodePort ?? 0) !== 0) errors.push(forbidden(`spec.ports[${String(index)}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  errors.push(...repeatedPorts(ports));
  if ((spec.loadBalancerSourceRanges ?? []).length > 0 && type !== "LoadBalancer") errors.push(forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'"));
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== "LoadBalancer") errors.push(forbidden("spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'"));
  if (spec.loadBalancerClass !== undefined && type !== "LoadBalancer") errors.push(forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'"));
  const external = type === "LoadBalancer" || type === "NodePort" || (spec.externalIPs ?? []).length > 0;
  if (spec.externalTrafficPolicy !== undefined && !external) errors.push(invalid("spec.externalTrafficPolicy", spec.externalTrafficPolicy, "may only be set for externally-accessible services"));
  return errors;
}

/** Errors of a changed Service: its addresses stay. */
export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const [now, before] = [service.spec ?? {}, old.spec ?? {}];
  const errors: FieldError[] = [];
  if (now.type !== "ExternalName" && before.type !== "ExternalName") {
    const [addresses, known] = [now.clusterIPs ?? [], before.clusterIPs ?? []];
    const bothHeadless = addresses[0] === "None" && known[0] === "None";
    if (!bothHeadless && known.length > 0) {
      if (addresses.length === 0) errors.push(invalid("spec.clusterIPs[0]", addresses.length === 0 ? null : addresses, "primary clusterIP can not be unset"));
      else known.forEach((address, index) => {
        if (index < addresses.length && addresses[index] !== address) errors.push(invalid(`spec.clusterIPs[${String(index)}]`, addresses, "may not change once set"));
      });
    }
  }
  return [...errors, ...validateService(service)];
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function portErrors({ ports = [] }: NonNullable<Service["spec"]>): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${String(index)}]`;
    const errors: FieldError[] = [];
    const name = port.name ?? "";
    if (name === "") {
      if (ports.length > 1) errors.push(required(`${at}.name`));
    } else {
      errors.push(...dnsLabel(`${at}.name`, name));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    const protocol: string = port.protocol ?? "";
    errors.push(...portNumber(`${at}.port`, port.port));
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    errors.push(...portNumberOrName(`${at}.targetPort`, port.targetPort));
    if (port.appProtocol !== undefined) errors.push(...qualifiedName(`${at}.appProtocol`, port.appProtocol));
    return errors;
  });
}

function repeatedPorts(ports: NonNullable<NonNullable<Service["spec"]>["ports"]>): FieldError[] {
  const errors: FieldError[] = [];
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  ports.forEach((port, index) => {
    const key = `${port.protocol ?? ""}/${String(port.nodePort)}`;
    if ((port.nodePort ?? 0) !== 0 && nodePorts.has(key)) errors.push(duplicate(`spec.ports[${String(index)}].nodePort`, port.nodePort));
    nodePorts.add(key);
  });
  ports.forEach((port, index) => {
    const key = `${port.protocol ?? ""}/${String(port.port)}`;
    // The value is shown as Go prints its own struct.
    if (numbers.has(key)) errors.push(duplicate(`spec.ports[${String(index)}]`, { Name: "", Protocol: port.protocol, AppProtocol: null, Port: port.port, TargetPort: 0, NodePort: 0 }));
    numbers.add(key);
  });
  return errors;
}

const NOT_AN_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** Whether a text is an IP address. */
export function isAddress(text: string): boolean {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (four !== null) return four.slice(1).every((part) => Number(part) <= 255 && (part === "0" || !part.startsWith("0")));
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(":")) return false;
  try {
    return new URL(`http://[${text}]/`).hostname !== "";
  } catch {
    return false;
  }
}

function addressErrors(spec: NonNullable<Service["spec"]>): FieldError[] {
  const errors: FieldError[] = [];
  const addresses = spec.clusterIPs ?? [];
  const primary = spec.clusterIP ?? "";
  if (primary !== "") {
    if (addresses.length === 0) errors.push(required("spec.clusterIPs"));
    else if (addresses[0] !== primary) errors.push(invalid("spec.clusterIPs", addresses, "first value must match `clusterIP`"));
  } else if (addresses.length > 0) errors.push(invalid("spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified"));
  addresses.forEach((address, index) => {
    if (index === 0 && address === "None") {
      if (addresses.length > 1) errors.push(invalid("spec.clusterIPs", addresses, "'None' must be the first and only value"));
    } else if (!isAddress(address)) errors.push(invalid(`spec.clusterIPs[${String(index)}]`, address, NOT_AN_ADDRESS));
  });
  if (addresses.length > 2) errors.push(invalid("spec.clusterIPs", addresses, "may only hold up to 2 values"));
  return errors;
}

/** Errors of an Ingress. */
export function validateIngress({ spec = {} }: Ingress): FieldError[] {
  const errors: FieldError[] = [];
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined) errors.push(invalid("spec", null, "either `defaultBackend` or `rules` must be specified"));
  if (spec.defaultBackend !== undefined) errors.push(...backendErrors(spec.defaultBackend, "spec.defaultBackend"));
  rules.forEach((rule, index) => {
    const at = `spec.rules[${String(index)}]`;
    const host = rule.host ?? "";
    if (host !== "" && isAddress(host)) errors.push(invalid(`${at}.host`, host, "must be a DNS name, not an IP address"));
    if (host !== "") errors.push(...dnsSubdomain(`${at}.host`, host.replace(/^\*\./, "")));
    if (rule.http === undefined) return;
    if (rule.http.paths.length === 0) errors.push(required(`${at}.http.paths`));
    rule.http.paths.forEach((path, pathIndex) => {
      const here = `${at}.http.paths[${String(pathIndex)}]`;
      const pathType = path.pathType as string | null;
      if (pathType === null) {
        errors.push(required(`${here}.pathType`, "pathType must be specified"));
        return;
      }
      const text = path.path ?? "";
      if (!text.startsWith("/") && (pathType !== "ImplementationSpecific" || text !== "")) errors.push(invalid(`${here}.path`, text, "must be an absolute path"));
      if (pathType !== "ImplementationSpecific") {
        for (const part of ["//", "/./", "/../", "%2f", "%2F"]) if (text.includes(part)) errors.push(invalid(`${here}.path`, text, `must not contain '${part}'`));
        for (const end of ["/..", "/."]) if (text.endsWith(end)) errors.push(invalid(`${here}.path`, text, `cannot end with '${end}'`));
      }
      errors.push(...backendErrors(path.backend, `${here}.backend`));
    });
  });
  if (spec.ingressClassName !== undefined) errors.push(...dnsSubdomain("spec.ingressClassName", spec.ingressClassName));
  return errors;
}

function backendErrors({ resource, service }: IngressBackend, at: string): FieldError[] {
  if (resource !== undefined && service !== undefined) return [invalid(at, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return [];
  if (service === undefined) return [invalid(at, "", "resource or service backend is required")];
  const errors = service.name === "" ? [required(`${at}.service.name`)] : dnsLabel(`${at}.service.name`, service.name);
  const [name, number] = [service.port?.name ?? "", service.port?.number ?? 0];
  if (name !== "" && number !== 0) errors.push(invalid(at, "", "cannot set both port name & port number"));
  else if (name !== "") errors.push(...portName(`${at}.service.port.name`, name));
  else if (number !== 0) errors.push(...portNumber(`${at}.service.port.number`, number));
  else errors.push(required(at, "port name or number is required"));
  return errors;
}

/** Errors of an EndpointSlice. */
export function validateEndpointSlice(slice: { addressType?: string; endpoints?: readonly { addresses?: readonly string[] }[] }): FieldError[] {
  if ((slice.addressType ?? "") === "") return [required("addressType")];
  return (slice.endpoints ?? []).flatMap((endpoint, index) => {
    const at = `endpoints[${String(index)}].addresses`;
    if ((endpoint.addresses ?? []).length === 0) return [required(at, "must contain at least 1 address")];
    if (slice.addressType === "FQDN") return [];
    return (endpoint.addresses ?? []).flatMap((address, position) => (isAddress(address) ? [] : [invalid(`${at}[${String(position)}]`, address, NOT_AN_ADDRESS)]));
  });
}

/** Errors of a changed EndpointSlice. */
export function validateEndpointSliceUpdate(slice: { addressType?: string }, old: { addressType?: string }): FieldError[] {
  return [...validateEndpointSlice(slice), ...immutable("addressType", slice.addressType, old.addressType)];
}
