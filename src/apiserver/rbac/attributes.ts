import { ApiFailure } from "../errors/status.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { Requirement, Selector } from "../objects/selectors.js";
import { parseFieldSelector, parseLabelSelector } from "../objects/selectors.js";

/** A request to authorize: user, verb and target. */
export interface AuthorizationAttributes {
  /** User who makes the request. */
  readonly user: UserInfo;
  /** Verb, such as `get` or `deletecollection`; for paths, the HTTP method in lower case. */
  readonly verb: string;
  /** True if the request is for a resource rather than another path. */
  readonly isResource: boolean;
  /** API group of the resource; `""` for the core group. */
  readonly group: string;
  /** API version of the resource. */
  readonly version: string;
  /** Namespace; `""` for cluster-wide requests. */
  readonly namespace: string;
  /** Plural name of the resource. */
  readonly resource: string;
  /** Subresource, such as `status`; `""` for the object itself. */
  readonly subresource: string;
  /** Name of the object; `""` for collections. */
  readonly name: string;
  /** Path of the request. */
  readonly path: string;
  /** Requirements of the label selector of a request for a collection. */
  readonly labelSelector?: readonly SelectorRequirement[] | undefined;
  /** Requirements of the field selector of a request for a collection. */
  readonly fieldSelector?: readonly SelectorRequirement[] | undefined;
}

/** A requirement of a selector. */
export interface SelectorRequirement {
  /** Label or field. */
  readonly key: string;
  /** Relation of the value to `values`: `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  /** Values for `In` and `NotIn`. */
  readonly values?: readonly string[] | undefined;
}

/** Returns the attributes of a request. */
export function requestAttributes(user: UserInfo, info: RequestInfo): AuthorizationAttributes {
  const { verb, isResource, group, version, namespace, resource, subresource, name, path } = info;
  const { labelSelector, fieldSelector } = info;
  return {
    user,
    verb,
    isResource,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    path,
    ...(labelSelector === undefined ? {} : { labelSelector: requirementsOf(() => parseLabelSelector(labelSelector)) }),
    ...(fieldSelector === undefined
      ? {}
      : { fieldSelector: requirementsOf(() => parseFieldSelector(fieldSelector, () => undefined)) }),
  };
}

const operators: Readonly<Partial<Record<Requirement["operator"], string>>> = {
  "=": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

/** Returns the requirements that the API has operators for. A malformed selector has none; the handler reports it. */
export function requirementsOf(parse: () => Selector): SelectorRequirement[] {
  let parsed: Selector;
  try {
    parsed = parse();
  } catch (error) {
    if (error instanceof ApiFailure) return [];
    throw error;
  }
  return (parsed.requirements ?? []).flatMap(({ key, operator, values }) => {
    const name = operators[operator];
    return name === undefined ? [] : [{ key, operator: name, ...(values.length === 0 ? {} : { values }) }];
  });
}

/** Creates the attributes of an action on a resource other than the request's own. */
export function resourceAttributes(
  user: UserInfo,
  verb: string,
  target: {
    group?: string | undefined;
    version?: string | undefined;
    resource: string;
    subresource?: string | undefined;
    namespace?: string | undefined;
    name?: string | undefined;
    labelSelector?: readonly SelectorRequirement[] | undefined;
    fieldSelector?: readonly SelectorRequirement[] | undefined;
  },
): AuthorizationAttributes {
  return {
    user,
    verb,
    isResource: true,
    path: "",
    group: target.group ?? "",
    version: target.version ?? "*",
    resource: target.resource,
    subresource: target.subresource ?? "",
    namespace: target.namespace ?? "",
    name: target.name ?? "",
    ...(target.labelSelector === undefined ? {} : { labelSelector: target.labelSelector }),
    ...(target.fieldSelector === undefined ? {} : { fieldSelector: target.fieldSelector }),
  };
}

/** Group whose members are allowed everything. */
export const mastersGroup = "system:masters";
