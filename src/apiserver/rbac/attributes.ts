import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";

/** A request to authorize: user, verb and target. */
export interface AuthorizationAttributes
  extends Pick<
    RequestInfo,
    "verb" | "isResource" | "group" | "version" | "namespace" | "resource" | "subresource" | "name" | "path"
  > {
  readonly user: UserInfo;
}

/** Returns the attributes of a request. */
export function requestAttributes(user: UserInfo, info: RequestInfo): AuthorizationAttributes {
  const { verb, isResource, group, version, namespace, resource, subresource, name, path } = info;
  return { user, verb, isResource, group, version, namespace, resource, subresource, name, path };
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
  };
}

/** Group whose members are allowed everything. */
export const MASTERS = "system:masters";
