import { pushAll } from "../../../internal/push-all.js";
import type * as networking from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { lenientAddress } from "../../objects/addresses.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { hostErrors } from "../core/service/service-errors.js";
import * as check from "../shared/checks.js";
import { invalid, notSupported, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { loadBalancerText } from "../shared/load-balancer.js";
import { referenceErrors } from "./object-reference.js";

const classAnnotation = "kubernetes.io/ingress.class";
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function validate(ingress: networking.Ingress): FieldError[] {
  const annotation = ingress.metadata?.annotations?.[classAnnotation];
  const name = ingress.spec?.ingressClassName;
  const errors = validateUpdate(ingress, {});
  return annotation === undefined || name === undefined || annotation === name
    ? errors
    : [
        ...errors,
        invalid(`annotations.${classAnnotation}`, annotation, "must match `ingressClassName` when both are specified"),
      ];
}

/** Validates a change: invalid names of Secrets and rules of wildcard hosts may stay. */
function validateUpdate({ spec = {} }: networking.Ingress, { spec: old = {} }: networking.Ingress): FieldError[] {
  const rules = spec.rules ?? [];
  const isWild = ({ host = "" }: networking.IngressRule): boolean => host.includes("*");
  const invalidWild = (old.rules ?? []).some((rule) => isWild(rule) && pathsErrors(rule, "").length > 0);
  const invalidSecret = (old.tls ?? []).some(
    ({ secretName = "" }) => secretName !== "" && nameErrors(secretName, "subdomain").length > 0,
  );
  return [
    ...(rules.length === 0 && spec.defaultBackend === undefined
      ? [invalid("spec", spec.rules, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(spec.defaultBackend === undefined ? [] : backendErrors(spec.defaultBackend, "spec.defaultBackend")),
    ...check.eachItem(rules, "spec.rules", (rule, at) => [
      ...check.optionalText(`${at}.host`, rule.host, ruleHost),
      ...(invalidWild && isWild(rule) ? [] : pathsErrors(rule, at)),
    ]),
    ...check.eachItem(spec.tls, "spec.tls", ({ hosts, secretName }, at) => [
      ...check.eachItem(hosts, `${at}.hosts`, (host, path) => domainName(path, host)),
      ...(invalidSecret ? [] : check.optionalText(`${at}.secretName`, secretName, check.dnsSubdomain)),
    ]),
    ...(spec.ingressClassName === undefined ? [] : check.dnsSubdomain("spec.ingressClassName", spec.ingressClassName)),
  ];
}

function validateStatus({ status }: networking.Ingress, old: networking.Ingress): FieldError[] {
  const known = new Set((old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  return check.eachItem(
    status?.loadBalancer?.ingress,
    "status.loadBalancer.ingress",
    ({ ip = "", hostname = "" }: networking.IngressLoadBalancerIngress, at) => [
      ...(ip === "" || known.has(ip) ? [] : check.ipAddress(`${at}.ip`, ip)),
      ...hostErrors(`${at}.hostname`, hostname),
    ],
  );
}

function ruleHost(field: string, host: string): FieldError[] {
  return [
    ...(lenientAddress(host) === undefined ? [] : [invalid(field, host, "must be a DNS name, not an IP address")]),
    ...domainName(field, host),
  ];
}

/** Validates a domain that may start with a wildcard. */
function domainName(field: string, name: string): FieldError[] {
  if (!name.includes("*")) return check.dnsSubdomain(field, name);
  return [
    ...(name.length > 253 ? [invalid(field, name, "must be no more than 253 characters")] : []),
    ...(/^\*(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(name)
      ? []
      : [invalid(field, name, "a wildcard must be '*.' followed by a DNS subdomain (e.g. '*.example.com')")]),
  ];
}

function pathsErrors({ http }: networking.IngressRule, at: string): FieldError[] {
  if (http === undefined) return [];
  const paths = (http.paths as readonly networking.HTTPIngressPath[] | null | undefined) ?? [];
  const field = `${at}.http.paths`;
  return paths.length === 0 ? [required(field)] : check.eachItem(paths, field, pathErrors);
}

function pathErrors({ path = "", pathType, backend }: networking.HTTPIngressPath, at: string): FieldError[] {
  const type = pathType as string | null;
  if (type === null) return [required(`${at}.pathType`)];
  const field = `${at}.path`;
  const errors: FieldError[] = [];
  if (!pathTypes.includes(type)) errors.push(notSupported(`${at}.pathType`, type, pathTypes));
  else if (!path.startsWith("/") && (type !== "ImplementationSpecific" || path !== ""))
    errors.push(invalid(field, path, "must be an absolute path"));
  if (type === "Exact" || type === "Prefix") {
    for (const part of ["//", "/./", "/../", "%2f", "%2F"])
      if (path.includes(part)) errors.push(invalid(field, path, `must not contain '${part}'`));
    for (const end of ["/..", "/."])
      if (path.endsWith(end)) errors.push(invalid(field, path, `cannot end with '${end}'`));
  }
  return [...errors, ...backendErrors(backend, `${at}.backend`)];
}

function backendErrors({ resource, service }: networking.IngressBackend, at: string): FieldError[] {
  if (resource !== undefined && service !== undefined)
    return [invalid(at, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return referenceErrors(resource, `${at}.resource`);
  if (service === undefined) return [invalid(at, "", "resource or service backend is required")];
  const errors = check.requiredText(`${at}.service.name`, service.name, check.dnsLabel);
  const { name = "", number = 0 } = service.port ?? {};
  if (name !== "" && number !== 0) errors.push(invalid(at, "", "cannot set both port name & port number"));
  else if (name !== "") pushAll(errors, check.portName(`${at}.service.port.name`, name));
  else if (number !== 0) pushAll(errors, check.portNumber(`${at}.service.port.number`, number));
  else errors.push(required(at, "port name or number is required"));
  return errors;
}

/** Returns the first three hosts; the number of further rules includes rules without a host. */
function hostsText(rules: readonly networking.IngressRule[]): string {
  const hosts: string[] = [];
  for (const { host = "" } of rules) {
    if (hosts.length === 3) return `${hosts.join(",")} + ${String(rules.length - 3)} more...`;
    if (host !== "") hosts.push(host);
  }
  return hosts.join(",") || "*";
}

export const ingress: KindDefinition = defineBuiltin<networking.Ingress>({
  resource: "networking.k8s.io/ingresses",
  generation: { counts: "fromOne" },
  metadata: { checksOnUpdate: 2 },
  prepare: { create: dropStatus },
  validate: { create: validate, update: validateUpdate, status: validateStatus },
  warnings: ({ metadata, spec }, old) =>
    old === undefined && metadata?.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  printer: {
    columns: "Class,Hosts,Address,Ports,Age",
    cells: ({ spec, status }, age) => [
      spec?.ingressClassName ?? "<none>",
      hostsText(spec?.rules ?? []),
      loadBalancerText(status?.loadBalancer?.ingress),
      (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
      age,
    ],
  },
});
