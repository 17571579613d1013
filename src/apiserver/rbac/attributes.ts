import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";

/** What an authorizer decides about: who wants to do what with what. */
export interface AuthorizationAttributes
  extends Pick<
    RequestInfo,
    "verb" | "isResource" | "group" | "version" | "namespace" | "resource" | "subresource" | "name" | "path"
  > {
  readonly user: UserInfo;
}

/** What a request asks for. */
export function requestAttributes(user: UserInfo, info: RequestInfo): AuthorizationAttributes {
  const { verb, isResource, group, version, namespace, resource, subresource, name, path } = info;
  return { user, verb, isResource, group, version, namespace, resource, subresource, name, path };
}

/** Attributes of an action on a resource that is not the request's own. */
export function resourceAttributes(
  user: UserInfo,
  verb: string,
  target: {
    group?: string;
    version?: string;
    resource: string;
    subresource?: string;
    namespace?: string;
    name?: string;
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

/** The group whose members may do everything. */
export const MASTERS = "system:masters";
