import type { RequestInfo } from "../interceptors/request-info.js";

/**
 * Requests that a proxy forwards, in the terms of RBAC. A list that is absent matches everything, with two exceptions
 * noted below; `*` in a list matches everything, too.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
export interface ProxyRule {
  /** Verbs, such as `get`, `list`, `watch` and `create`. WebSockets count as `create`. Default: all. */
  readonly verbs?: readonly string[] | undefined;
  /** API groups; `""` is the core group. Default: all. */
  readonly groups?: readonly string[] | undefined;
  /**
   * Resources such as `pods`, with their subresources such as `pods/log`. `*` matches all of both, except those that
   * run commands or lend credentials: `exec`, `attach`, `portforward`, `proxy`, `token` and `ephemeralcontainers` must
   * be named, as in `pods/exec`. Default: none.
   */
  readonly resources?: readonly string[] | undefined;
  /** Namespaces. A rule with namespaces doesn't match requests across all of them. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Names of objects. Default: all. */
  readonly names?: readonly string[] | undefined;
  /**
   * Paths outside of the resources, such as `/metrics`; a final `*` matches the rest. Discovery, the OpenAPI documents
   * and the version are always forwarded. Default: none.
   */
  readonly paths?: readonly string[] | undefined;
}

/**
 * Rules for reading: all resources and logs, and the reviews that say what the user may do. They include Secrets, so
 * the rights in the cluster decide about those.
 */
export const readRules: readonly ProxyRule[] = [
  { verbs: ["get", "list", "watch"], resources: ["*"] },
  {
    verbs: ["create"],
    groups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  },
  { verbs: ["create"], groups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
];

/** Subresources that `*` doesn't match. */
const explicit = new Set(["exec", "attach", "portforward", "proxy", "token", "ephemeralcontainers"]);
/** Discovery, OpenAPI and the version, which every client reads. */
const discovery = /^\/(?:api|apis|version|openapi\/v[23])(?:\/|$)/;

/** True if a rule matches the request. `path` has no query. */
export function isAllowed(rules: readonly ProxyRule[], info: RequestInfo, path: string): boolean {
  if (info.resource === undefined)
    return (
      (info.verb === "get" && discovery.test(path)) ||
      rules.some((rule) => includes(rule.verbs, info.verb) && (rule.paths ?? []).some((each) => matches(each, path)))
    );
  return rules.some(
    ({ verbs, groups, resources = [], namespaces, names }) =>
      includes(verbs, info.verb) &&
      includes(groups, info.group ?? "") &&
      resources.some((each) => isResource(each, info)) &&
      includes(namespaces, info.namespace) &&
      includes(names, info.name),
  );
}

function includes(list: readonly string[] | undefined, value: string | undefined): boolean {
  return list === undefined || list.includes("*") || (value !== undefined && list.includes(value));
}

function isResource(pattern: string, { resource = "", subresource }: RequestInfo): boolean {
  if (subresource === undefined) return pattern === "*" || pattern === resource;
  if (pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`) return true;
  return !explicit.has(subresource) && (pattern === "*" || pattern === `${resource}/*`);
}

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
