import type { LabelSelector } from "../../meta/label-selector.js";
import type { ApiObject } from "../objects/api-object.js";
import { selectorMatches } from "../objects/selector-text.js";
import type { AdmissionAttributes, RegistryServices } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";

/** A rule of a webhook or policy. */
export interface AdmissionRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** True if a rule covers a request. */
export function ruleMatches(
  rule: AdmissionRule,
  { operation, resource, subresource, name }: AdmissionAttributes,
): boolean {
  const has = (values: readonly string[] | undefined, wanted: string): boolean =>
    values?.includes("*") === true || values?.includes(wanted) === true;
  const scope = rule.scope ?? "*";
  if (scope !== "*" && (scope === "Namespaced") !== resource.namespaced) return false;
  if (
    !has(rule.operations, operation) ||
    !has(rule.apiGroups, resource.group) ||
    !has(rule.apiVersions, resource.version)
  )
    return false;
  if ((rule.resourceNames ?? []).length > 0 && !rule.resourceNames!.includes(name)) return false;
  return (rule.resources ?? []).some((pattern) => {
    const [wanted = "", sub = ""] = pattern.split("/");
    return (
      (wanted === "*" || wanted === resource.resource) &&
      (pattern === "*/*" || sub === "*" ? true : sub === subresource)
    );
  });
}

/** True if labels match a selector; a missing or empty selector matches everything. */
export function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  return selector === undefined || selectorMatches(selector, labels);
}

/** Returns the namespace of a request; for a Namespace, its own name. `undefined` for other cluster-scoped requests. */
export function namespaceOf(
  services: RegistryServices,
  { resource, namespace, name, object, old }: AdmissionAttributes,
): ApiObject | undefined {
  if (resource.bucket === "/namespaces") return object ?? old ?? getStored(services, "/namespaces", name);
  return namespace === "" ? undefined : getStored(services, "/namespaces", namespace);
}

/** True if a request matches both selectors of a webhook or policy. */
export function selectorsMatch(
  services: RegistryServices,
  attributes: AdmissionAttributes,
  selectors: { namespaceSelector?: LabelSelector; objectSelector?: LabelSelector },
): boolean {
  const namespace = namespaceOf(services, attributes);
  if (namespace !== undefined && !selects(selectors.namespaceSelector, namespace.metadata?.labels ?? {})) return false;
  const { operation, object, old } = attributes;
  // The options of a connection have no metadata, so only a selector that selects everything matches them.
  if (operation === "CONNECT") return isEmpty(selectors.objectSelector);
  return [object, old].some(
    (candidate) => candidate !== undefined && selects(selectors.objectSelector, candidate.metadata?.labels ?? {}),
  );
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

const admissionGroup = "admissionregistration.k8s.io";
const policyKinds = new Set([
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);
const reviews = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

/** True for kinds that bypass webhooks, so that a broken webhook can always be repaired. */
export function isExempt({ resource }: AdmissionAttributes): boolean {
  return resource.group === admissionGroup;
}

/** True for kinds that bypass policies: policies themselves, and reviews, which are never stored. */
export function isPolicyExempt({ resource }: AdmissionAttributes): boolean {
  return (resource.group === admissionGroup && policyKinds.has(resource.resource)) || reviews.has(resource.group);
}
