import { ConfigError } from "../../errors/errors.js";
import { trimEnd } from "../../internal/trim-end.js";
import type { UserInfo } from "../http/user-info.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { PolicyRule } from "../rbac/policy-rule.js";

/**
 * Policy of attribute-based access control. Each property that is set must match the request; `*` matches everything,
 * and as a user or group every user who has logged in.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/abac/
 */
export interface AbacPolicy {
  /** User name. */
  readonly user?: string | undefined;
  /** Group of the user. */
  readonly group?: string | undefined;
  /** API group of the resource. */
  readonly apiGroup?: string | undefined;
  /** Namespace of the request. */
  readonly namespace?: string | undefined;
  /** Resource, such as `pods`. */
  readonly resource?: string | undefined;
  /** Path of a request that isn't for a resource; a trailing `*` matches any suffix. */
  readonly nonResourcePath?: string | undefined;
  /** True if the policy covers only `get`, `list` and `watch`. */
  readonly readonly?: boolean | undefined;
}

const apiVersions = ["abac.authorization.kubernetes.io/v1beta1", "abac.authorization.kubernetes.io/v0"];
const texts = ["user", "group", "apiGroup", "namespace", "resource", "nonResourcePath"] as const;

/**
 * Parses a policy file for kube-apiserver's `--authorization-policy-file`: one JSON object of
 * `abac.authorization.kubernetes.io/v1beta1` per line. `name` identifies the file in errors. Throws a `ConfigError` that
 * names the line.
 *
 * @example
 * ```ts
 * import { createApiServer, parseAbacPolicies } from "kubestream/apiserver";
 *
 * const text = JSON.stringify({
 *   apiVersion: "abac.authorization.kubernetes.io/v1beta1",
 *   kind: "Policy",
 *   spec: { user: "jane", namespace: "team", resource: "*", apiGroup: "*" },
 * });
 * const abacPolicies = parseAbacPolicies(text, "policy.jsonl");
 * const server = createApiServer({ authorizationMode: "ABAC", abacPolicies });
 * await server.close();
 * ```
 */
export function parseAbacPolicies(text: string, name: string): AbacPolicy[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "" || line.trimStart().startsWith("#")) return [];
    const fail = (problem: string): ConfigError =>
      new ConfigError(`policy file ${name}, line ${index + 1}: ${problem}`);
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw fail("not a JSON object");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw fail("not a JSON object");
    const { apiVersion, kind, spec } = value as { apiVersion?: unknown; kind?: unknown; spec?: unknown };
    // The first version had neither a type nor a spec, and covered every API group and namespace.
    const policy = apiVersion === undefined ? unversioned(value) : spec;
    if (apiVersion !== undefined && (kind !== "Policy" || !apiVersions.includes(apiVersion as string)))
      throw fail(`expected a Policy of ${apiVersions[0]!}`);
    if (typeof policy !== "object" || policy === null) throw fail("spec is required");
    for (const key of texts)
      if (!["string", "undefined"].includes(typeof (policy as AbacPolicy)[key])) throw fail(`${key} must be a string`);
    if (!["boolean", "undefined"].includes(typeof (policy as AbacPolicy).readonly))
      throw fail("readonly must be true or false");
    return [policy];
  });
}

function unversioned({ user = "", group = "", namespace = "", resource = "", readonly }: AbacPolicy): AbacPolicy {
  const anyone = user === "" && group === "";
  return {
    ...(anyone ? { group: "system:authenticated" } : { user, group }),
    namespace: namespace === "" ? "*" : namespace,
    resource: resource === "" ? "*" : resource,
    apiGroup: "*",
    ...(namespace === "" && resource === "" ? { nonResourcePath: "*" } : {}),
    ...(readonly === undefined ? {} : { readonly }),
  };
}

/** Creates an authorizer that allows what one of the policies allows. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    authorize(attributes) {
      const allowed = policies.some((policy) => matches(policy, attributes));
      return { allowed, reason: allowed ? "" : "No policy matched." };
    },
    rulesFor: (user, namespace) => ({
      rules: policies
        .filter((policy) => matchesUser(policy, user) && (policy.namespace === "*" || policy.namespace === namespace))
        .flatMap(rulesOf),
    }),
  };
}

const readVerbs = ["get", "list", "watch"];

function rulesOf({ apiGroup = "", resource = "", nonResourcePath = "", readonly }: AbacPolicy): PolicyRule[] {
  const verbs = readonly === true ? readVerbs : ["*"];
  return [
    ...(resource === "" ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
    ...(nonResourcePath === "" ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
  ];
}

function matches(policy: AbacPolicy, attributes: AuthorizationAttributes): boolean {
  if (!matchesUser(policy, attributes.user)) return false;
  if (policy.readonly === true && !readVerbs.includes(attributes.verb)) return false;
  const has = (pattern: string | undefined, value: string): boolean => pattern === "*" || (pattern ?? "") === value;
  if (attributes.isResource)
    return (
      has(policy.namespace, attributes.namespace) &&
      has(policy.resource, attributes.resource) &&
      has(policy.apiGroup, attributes.group)
    );
  const pattern = policy.nonResourcePath ?? "";
  return has(pattern, attributes.path) || (pattern.endsWith("*") && attributes.path.startsWith(trimEnd(pattern, "*")));
}

function matchesUser({ user = "", group = "" }: AbacPolicy, { name, groups }: UserInfo): boolean {
  // Like kube-apiserver, `*` means every user who has logged in, whatever the other property says.
  if (user === "*" || group === "*") return groups.includes("system:authenticated");
  if (user === "" && group === "") return false;
  return (user === "" || user === name) && (group === "" || groups.includes(group));
}
