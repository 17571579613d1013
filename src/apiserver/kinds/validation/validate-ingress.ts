import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressLoadBalancerIngress,
} from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { sloppyAddress } from "../../objects/addresses.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { hostErrors } from "../core/service/service-errors.js";
import {
  dnsLabel,
  dnsSubdomain,
  domainPath,
  forbidden,
  immutable,
  invalid,
  ipAddress,
  notSupported,
  pathSegment,
  portName,
  portNumber,
  required,
  textNotSupported,
  tooLong,
} from "../shared/field-errors.js";

const CLASS = "kubernetes.io/ingress.class";
const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const MOST_CONTROLLER = 250;

/** Errors of an Ingress. */
export function validateIngress(ingress: Ingress): FieldError[] {
  const annotation = ingress.metadata?.annotations?.[CLASS];
  const name = ingress.spec?.ingressClassName;
  const errors = validateIngressUpdate(ingress, {});
  return annotation === undefined || name === undefined || annotation === name
    ? errors
    : [...errors, invalid(`annotations.${CLASS}`, annotation, "must match `ingressClassName` when both are specified")];
}

/** Errors of a changed Ingress: wrong names of Secrets and rules of wildcards that were there may stay. */
export function validateIngressUpdate({ spec = {} }: Ingress, { spec: old }: Ingress): FieldError[] {
  const errors: FieldError[] = [];
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined)
    errors.push(invalid("spec", spec.rules, "either `defaultBackend` or `rules` must be specified"));
  if (spec.defaultBackend !== undefined) errors.push(...backendErrors(spec.defaultBackend, "spec.defaultBackend"));
  const pathsOf = (rule: (typeof rules)[number]): readonly HTTPIngressPath[] =>
    (rule.http?.paths as readonly HTTPIngressPath[] | null | undefined) ?? [];
  const paths = (rule: (typeof rules)[number], at: string): FieldError[] => {
    if (rule.http === undefined) return [];
    return [
      ...(pathsOf(rule).length === 0 ? [required(`${at}.http.paths`)] : []),
      ...pathsOf(rule).flatMap((path, index) => pathErrors(path, `${at}.http.paths[${String(index)}]`)),
    ];
  };
  const wildBefore = (old?.rules ?? []).some((rule) => (rule.host ?? "").includes("*") && paths(rule, "").length > 0);
  rules.forEach((rule, index) => {
    const at = `spec.rules[${String(index)}]`;
    const { host = "" } = rule;
    if (host !== "" && sloppyAddress(host) !== undefined)
      errors.push(invalid(`${at}.host`, host, "must be a DNS name, not an IP address"));
    if (host !== "") errors.push(...domainName(`${at}.host`, host));
    if (!wildBefore || !host.includes("*")) errors.push(...paths(rule, at));
  });
  const anySecret = (old?.tls ?? []).some(
    ({ secretName = "" }) => secretName !== "" && nameErrors(secretName, "subdomain").length > 0,
  );
  (spec.tls ?? []).forEach(({ hosts = [], secretName = "" }, index) => {
    const at = `spec.tls[${String(index)}]`;
    hosts.forEach((host, position) => errors.push(...domainName(`${at}.hosts[${String(position)}]`, host)));
    if (secretName !== "" && !anySecret) errors.push(...dnsSubdomain(`${at}.secretName`, secretName));
  });
  if (spec.ingressClassName !== undefined) errors.push(...dnsSubdomain("spec.ingressClassName", spec.ingressClassName));
  return errors;
}

/** Errors of an Ingress's status. */
export function validateIngressStatus({ status }: Ingress, old: Ingress): FieldError[] {
  const known = (old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  const errors = ({ ip = "", hostname = "" }: IngressLoadBalancerIngress, at: string): FieldError[] => [
    ...(ip === "" || known.includes(ip) ? [] : ipAddress(`${at}.ip`, ip)),
    ...hostErrors(`${at}.hostname`, hostname),
  ];
  return (status?.loadBalancer?.ingress ?? []).flatMap((each, index) =>
    errors(each, `status.loadBalancer.ingress[${String(index)}]`),
  );
}

const WILD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Errors of a domain that may start with a wildcard. */
function domainName(field: string, name: string): FieldError[] {
  if (!name.includes("*")) return dnsSubdomain(field, name);
  const rest = /^\*\.(.*)$/.exec(name)?.[1] ?? "";
  return [
    ...(name.length > 253 ? [invalid(field, name, "must be no more than 253 characters")] : []),
    ...(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(rest)
      ? []
      : [invalid(field, name, WILD)]),
  ];
}

function pathErrors({ path = "", pathType, backend }: HTTPIngressPath, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((pathType as string | null) === null) return [required(`${at}.pathType`, "pathType must be specified")];
  if (!PATH_TYPES.includes(pathType)) errors.push(notSupported(`${at}.pathType`, pathType, PATH_TYPES));
  else if (!path.startsWith("/") && (pathType !== "ImplementationSpecific" || path !== ""))
    errors.push(invalid(`${at}.path`, path, "must be an absolute path"));
  if (pathType === "Exact" || pathType === "Prefix") {
    for (const part of ["//", "/./", "/../", "%2f", "%2F"])
      if (path.includes(part)) errors.push(invalid(`${at}.path`, path, `must not contain '${part}'`));
    for (const end of ["/..", "/."])
      if (path.endsWith(end)) errors.push(invalid(`${at}.path`, path, `cannot end with '${end}'`));
  }
  return [...errors, ...backendErrors(backend, `${at}.backend`)];
}

function backendErrors({ resource, service }: IngressBackend, at: string): FieldError[] {
  if (resource !== undefined && service !== undefined)
    return [invalid(at, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return referenceErrors(resource, `${at}.resource`);
  if (service === undefined) return [invalid(at, "", "resource or service backend is required")];
  const errors = service.name === "" ? [required(`${at}.service.name`)] : dnsLabel(`${at}.service.name`, service.name);
  const { name = "", number = 0 } = service.port ?? {};
  if (name !== "" && number !== 0) errors.push(invalid(at, "", "cannot set both port name & port number"));
  else if (name !== "") errors.push(...portName(`${at}.service.port.name`, name));
  else if (number !== 0) errors.push(...portNumber(`${at}.service.port.number`, number));
  else errors.push(required(at, "port name or number is required"));
  return errors;
}

function referenceErrors(
  reference: { readonly apiGroup?: string; readonly kind: string; readonly name: string },
  at: string,
): FieldError[] {
  const group = (reference.apiGroup as string | null | undefined) ?? undefined;
  return [
    ...(group === undefined ? [] : dnsSubdomain(`${at}.apiGroup`, group)),
    ...(["kind", "name"] as const).flatMap((key) =>
      reference[key] === "" ? [required(`${at}.${key}`)] : pathSegment(`${at}.${key}`, reference[key]),
    ),
  ];
}

/** Errors of an IngressClass. */
export function validateIngressClass({ spec = {} }: IngressClass): FieldError[] {
  const { controller = "", parameters } = spec;
  const errors = controller.length > MOST_CONTROLLER ? [tooLong("spec.controller", MOST_CONTROLLER)] : [];
  errors.push(...domainPath("spec.controller", controller));
  if (parameters === undefined) return errors;
  const at = "spec.parameters";
  const { scope, namespace } = parameters;
  errors.push(...referenceErrors(parameters, at));
  if (scope === undefined) errors.push(required(`${at}.scope`));
  else if (scope !== "Cluster" && scope !== "Namespace")
    errors.push(textNotSupported(`${at}.scope`, scope, ["Cluster", "Namespace"]));
  else if (scope === "Cluster") {
    if (namespace !== undefined) errors.push(forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  } else
    errors.push(
      ...(namespace === undefined
        ? [required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")]
        : dnsLabel(`${at}.namespace`, namespace)),
    );
  return errors;
}

/** Errors of a changed IngressClass: its controller stays. */
export function validateIngressClassUpdate(each: IngressClass, old: IngressClass): FieldError[] {
  return [
    ...immutable("spec.controller", each.spec?.controller ?? "", old.spec?.controller),
    ...validateIngressClass(each),
  ];
}
