import type { ParamKind as KindReference } from "../../kinds/admissionregistration/v1.js";
import type { LabelSelector } from "../../meta/label-selector.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson } from "../objects/metadata.js";
import { readObject } from "../registry/read.js";
import { apiVersionOf, groupVersionOf, isOfKind, type ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes, RegistryServices } from "../registry/services.js";
import type { NamedExpression, VersionedRequest } from "./cel-variables.js";
import { type AdmissionRule, ruleMatches, selectorsMatch, selects } from "./match-rules.js";
import { PolicyError } from "./policy-error.js";

/** Match constraints of a policy or binding. */
export interface MatchResources {
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly AdmissionRule[];
  readonly excludeResourceRules?: readonly AdmissionRule[];
}

/**
 * Returns the resource in the version that the constraints match, or `undefined` if they don't match the request.
 * Without rules they match everything.
 */
export function matchedResource(
  match: MatchResources,
  attributes: AdmissionAttributes,
  services: RegistryServices,
): ServedResource | undefined {
  if (!selectorsMatch(services, attributes, match)) return undefined;
  const { resourceRules = [], excludeResourceRules = [] } = match;
  if (resourceByRules(excludeResourceRules, match.matchPolicy, attributes, services) !== undefined) return undefined;
  return resourceRules.length === 0
    ? attributes.resource
    : resourceByRules(resourceRules, match.matchPolicy, attributes, services);
}

/**
 * Returns the resource in the version that a rule matches: the request's own or, for the match policy `Equivalent`,
 * another version of the same objects.
 */
export function resourceByRules(
  rules: readonly AdmissionRule[],
  matchPolicy: string | undefined,
  attributes: AdmissionAttributes,
  services: RegistryServices,
): ServedResource | undefined {
  if (rules.some((rule) => ruleMatches(rule, attributes))) return attributes.resource;
  if (rules.length === 0 || matchPolicy !== "Equivalent") return undefined;
  const others = equivalents(attributes, services);
  for (const rule of rules)
    for (const resource of others) if (ruleMatches(rule, { ...attributes, resource })) return resource;
  return undefined;
}

function equivalents({ resource, subresource }: AdmissionAttributes, services: RegistryServices): ServedResource[] {
  return [...services.resources.all()].filter(
    (other) =>
      other !== resource &&
      other.bucket === resource.bucket &&
      (subresource === "" || other.subresources.has(subresource)),
  );
}

/** Converts the objects of a request to the matched version. */
export async function inVersionOf(
  target: ServedResource,
  { resource, object, old }: AdmissionAttributes,
): Promise<VersionedRequest> {
  if (target === resource) return { resource, object, old };
  return {
    resource: target,
    object: await convert(object, resource, target),
    old: await convert(old, resource, target),
  };
}

/** Converts an object to another version of its resource. Objects of subresources, such as a Scale, stay as they are. */
export async function convert(
  object: ApiObject | undefined,
  from: ServedResource,
  to: ServedResource,
): Promise<ApiObject | undefined> {
  if (object === undefined || from === to || !isOfKind(object, from)) return object;
  const apiVersion = apiVersionOf(to);
  if (from.converter !== undefined) return from.converter.convert(object, apiVersion);
  const copy = copyJson(object);
  from.toStorage?.(copy);
  to.fromStorage?.(copy);
  return { ...copy, apiVersion, kind: to.kind };
}

/** Common part of both policy kinds' specs. */
export interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
}

/** Common part of both binding kinds' specs. */
export interface BindingSpec {
  readonly policyName: string;
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
}

interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** Returns the resource of a policy's parameters, or `undefined` if the kind isn't served. */
export function paramResource(
  { apiVersion = "", kind }: KindReference,
  services: RegistryServices,
): ServedResource | undefined {
  const { group, version } = groupVersionOf(apiVersion);
  return services.resources.inGroupVersion(group, version)?.find((resource) => resource.kind === kind);
}

/**
 * Returns the parameter objects of a binding; a single `undefined` for a policy without parameters. Throws a
 * `PolicyError` if they don't exist.
 */
export async function paramsOf(
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
  services: RegistryServices,
): Promise<(ApiObject | undefined)[]> {
  if (paramKind === undefined || ref === undefined) return [undefined];
  const resource = paramResource(paramKind, services)!;
  let home: string | undefined;
  if (resource.namespaced) {
    home = (ref.namespace ?? "") === "" ? requestNamespace : ref.namespace!;
    if (home === "")
      throw new PolicyError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  } else if ((ref.namespace ?? "") !== "")
    throw new PolicyError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const bucket = services.store.bucket(resource.bucket);
  const { name = "" } = ref;
  const versions =
    name === ""
      ? bucket.versions(
          home === undefined ? "" : `${home}/`,
          home === undefined ? undefined : `${home}0`,
          services.store.revision,
        )
      : [bucket.get(home === undefined ? name : `${home}/${name}`)].filter((version) => version !== undefined);
  await resource.converter?.prepare(versions);
  const objects = versions
    .map((version) => readObject(resource, version))
    .filter((object) => name !== "" || selects(ref.selector, object.metadata?.labels ?? {}));
  if (objects.length === 0 && ref.parameterNotFoundAction === "Deny")
    throw new PolicyError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return objects;
}

/** Returns the message about a parameter kind that isn't served. */
export function unknownParamKind({ apiVersion, kind }: ParamKind): string {
  return `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}'`;
}
