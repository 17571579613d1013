import { ConfigError } from "../../errors/errors.js";
import { trimEnd } from "../../internal/trim-end.js";
import { parseYaml } from "../../internal/yaml/yaml.js";
import type { AuditStage } from "../http/audit-trail.js";
import { nameErrors } from "../objects/validate-metadata.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import type { AuditLevel } from "./event.js";

/** Resources of one API group that a rule matches. */
export interface AuditGroupResources {
  /** Name of the group: `""` for the core group, `*` for any. */
  readonly group?: string | undefined;
  /**
   * Resources, such as `pods`, `pods/log`, `pods/*` (all subresources) or `*`. A `*` before the slash matches that
   * subresource of every resource. Empty matches all.
   */
  readonly resources?: readonly string[] | undefined;
  /** Object names. Empty matches all. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** A rule of an `AuditPolicy`. A request must match every field that is set. */
export interface AuditPolicyRule {
  /** Level for matching requests. */
  readonly level: AuditLevel;
  /** User names. Empty matches all. */
  readonly users?: readonly string[] | undefined;
  /** Groups; the user must be in one of them. Empty matches all. */
  readonly userGroups?: readonly string[] | undefined;
  /** Verbs such as `get` and `watch`. Empty matches all. */
  readonly verbs?: readonly string[] | undefined;
  /** Resources. Empty matches all, unless `nonResourceURLs` is set. */
  readonly resources?: readonly AuditGroupResources[] | undefined;
  /** Namespaces; `""` matches requests without a namespace. Empty matches all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Non-resource paths; a trailing `*` matches any suffix. */
  readonly nonResourceURLs?: readonly string[] | undefined;
  /** Stages to omit, in addition to those of the policy. */
  readonly omitStages?: readonly AuditStage[] | undefined;
  /** True to record bodies without managed fields. Default: the policy's setting. */
  readonly omitManagedFields?: boolean | undefined;
}

/**
 * Audit policy: the first matching rule sets the level. Requests that no rule matches aren't recorded.
 *
 * @example
 * ```ts
 * import { createApiServer, type AuditEvent } from "kubestream/apiserver";
 *
 * const events: AuditEvent[] = [];
 * const server = createApiServer({
 *   audit: {
 *     policy: { rules: [{ level: "None", verbs: ["watch"] }, { level: "Metadata" }], omitStages: ["RequestReceived"] },
 *     sink: (event) => void events.push(event),
 *   },
 * });
 * await server.handle(new Request("http://server/api/v1/pods"));
 * console.log(events.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`));
 * await server.close();
 * ```
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/
 */
export interface AuditPolicy {
  /** Rules, in order of precedence. */
  readonly rules: readonly AuditPolicyRule[];
  /** Stages to omit for all rules. Default: none. */
  readonly omitStages?: readonly AuditStage[] | undefined;
  /** True to record bodies without managed fields. Default: false. */
  readonly omitManagedFields?: boolean | undefined;
}

/** Outcome of a policy for one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

const levels: readonly string[] = ["None", "Metadata", "Request", "RequestResponse"];
const stages: readonly string[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** Evaluates a policy for a request. `identified` is false if authentication failed. */
export function evaluateAuditPolicy(
  policy: AuditPolicy,
  action: AuthorizationAttributes,
  identified = true,
): AuditDecision {
  const rule = policy.rules.find((one) => ruleFits(one, action, identified));
  return {
    level: rule?.level ?? "None",
    omitStages: [...(policy.omitStages ?? []), ...(rule?.omitStages ?? [])],
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

const some = (values: readonly unknown[] | undefined): values is readonly unknown[] =>
  values !== undefined && values !== null && values.length > 0;

function ruleFits(rule: AuditPolicyRule, action: AuthorizationAttributes, identified: boolean): boolean {
  const { user } = action;
  if (some(rule.users) && !(identified && rule.users.includes(user.name))) return false;
  if (some(rule.userGroups) && !(identified && user.groups.some((group) => rule.userGroups!.includes(group))))
    return false;
  if (some(rule.verbs) && !rule.verbs.includes(action.verb)) return false;
  if (some(rule.namespaces) || some(rule.resources)) return fitsResource(rule, action);
  return (
    !some(rule.nonResourceURLs) ||
    (!action.isResource && rule.nonResourceURLs.some((pattern) => fitsPath(pattern, action.path)))
  );
}

function fitsPath(pattern: string, path: string): boolean {
  return pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(trimEnd(pattern, "*")));
}

function fitsResource(
  rule: AuditPolicyRule,
  { isResource, namespace, group, resource, subresource, name }: AuthorizationAttributes,
): boolean {
  if (!isResource || (some(rule.namespaces) && !rule.namespaces.includes(namespace))) return false;
  if (!some(rule.resources)) return true;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  return rule.resources.some((one) => {
    if ((one.group ?? "") !== group && one.group !== "*") return false;
    if (!some(one.resources)) return true;
    if (some(one.resourceNames) && !one.resourceNames.includes(name)) return false;
    return one.resources.some(
      (pattern) =>
        pattern === full ||
        pattern === "*" ||
        (subresource !== "" && pattern === `*/${subresource}`) ||
        pattern === `${resource}/*`,
    );
  });
}

/**
 * Parses a policy file for kube-apiserver's `--audit-policy-file`: YAML or JSON of `audit.k8s.io/v1`. `name` identifies
 * the file in errors. Throws a `ConfigError` that lists every problem.
 *
 * @example
 * ```ts
 * import { createApiServer, parseAuditPolicy } from "kubestream/apiserver";
 *
 * const text = "{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Metadata }] }";
 * const policy = parseAuditPolicy(text, "policy.yaml");
 * const server = createApiServer({ audit: { policy, sink: (event) => console.log(event.requestURI) } });
 * await server.close();
 * ```
 */
export function parseAuditPolicy(text: string, name: string): AuditPolicy {
  const fail = (why: string): never => {
    throw new ConfigError(`audit policy ${name}: ${why}`);
  };
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail("must be an object");
  const { apiVersion, kind, ...policy } = value as { apiVersion?: unknown; kind?: unknown } & AuditPolicy;
  if (apiVersion !== "audit.k8s.io/v1" || kind !== "Policy")
    return fail(
      `must be a Policy of audit.k8s.io/v1, not ${JSON.stringify(kind ?? "")} of ${JSON.stringify(apiVersion ?? "")}`,
    );
  const problems = policyProblems(policy);
  return problems.length === 0 ? policy : fail(problems.join(", "));
}

function policyProblems(policy: AuditPolicy): string[] {
  if (!some(policy.rules)) return ["has no rules"];
  return [
    ...stageProblems(policy.omitStages, "omitStages"),
    ...policy.rules.flatMap((rule, at) => ruleProblems(rule, `rules[${at}]`)),
  ];
}

function ruleProblems(rule: AuditPolicyRule, at: string): string[] {
  const problems = stageProblems(rule.omitStages, `${at}.omitStages`);
  const level = (rule as { level?: string }).level ?? "";
  if (level === "") problems.push(`${at}.level: Required value`);
  else if (!levels.includes(level))
    problems.push(
      `${at}.level: Unsupported value: ${JSON.stringify(level)}: supported values: ${levels.map((one) => JSON.stringify(one)).join(", ")}`,
    );
  (rule.nonResourceURLs ?? []).forEach((url, index) => {
    if ((url !== "*" && !url.startsWith("/")) || url.slice(0, -1).includes("*"))
      problems.push(
        `${at}.nonResourceURLs[${index}]: Invalid value: ${JSON.stringify(url)}: must begin with '/' and may have '*' only at the end`,
      );
  });
  for (const { group = "", resources, resourceNames } of rule.resources ?? []) {
    if (group !== "" && group !== "*")
      for (const why of nameErrors(group, "subdomain"))
        problems.push(`${at}.resources.group: Invalid value: ${JSON.stringify(group)}: ${why}`);
    if (some(resourceNames) && !some(resources))
      problems.push(
        `${at}.resources.resourceNames: Invalid value: ${JSON.stringify(resourceNames)}: using resourceNames requires at least one resource`,
      );
  }
  if (some(rule.nonResourceURLs) && (some(rule.resources) || some(rule.namespaces)))
    problems.push(`${at}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`);
  return problems;
}

function stageProblems(omitted: readonly string[] | undefined, at: string): string[] {
  return (omitted ?? []).flatMap((stage, index) =>
    stages.includes(stage)
      ? []
      : [`${at}[${index}]: Invalid value: ${JSON.stringify(stage)}: allowed stages are ${stages.join(",")}`],
  );
}
