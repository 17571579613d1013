import { ConfigError } from "../../errors/errors.js";
import { parseYaml } from "../../internal/yaml.js";
import type { AuditStage } from "../http/audit-trail.js";
import { nameErrors } from "../objects/validate-metadata.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import type { AuditLevel } from "./event.js";

/** Resources of one group. */
export interface AuditGroupResources {
  /** Name of the group; `""` is the core group, `*` any. */
  readonly group?: string;
  /** Names as `pods`, `pods/log`, all subresources of one resource, one subresource of all, or `*`; none means all. */
  readonly resources?: readonly string[];
  /** Names of objects; none means all. */
  readonly resourceNames?: readonly string[];
}

/** What is recorded of the requests that fit it. */
export interface AuditPolicyRule {
  /** How much is recorded. */
  readonly level: AuditLevel;
  /** Names of users; none means all. */
  readonly users?: readonly string[];
  /** Groups, one of which the user is in; none means all. */
  readonly userGroups?: readonly string[];
  /** Verbs as `get` and `watch`; none means all. */
  readonly verbs?: readonly string[];
  /** Resources; none means all, if there are no paths. */
  readonly resources?: readonly AuditGroupResources[];
  /** Namespaces; `""` stands for what is in none. */
  readonly namespaces?: readonly string[];
  /** Paths; `*` at the end stands for any rest. */
  readonly nonResourceURLs?: readonly string[];
  /** Stages without an event, besides those of the policy. */
  readonly omitStages?: readonly AuditStage[];
  /** Whether bodies are recorded without managed fields; default as the policy says. */
  readonly omitManagedFields?: boolean;
}

/**
 * Says what is recorded: the first rule that fits a request counts, and what no rule fits is not recorded.
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/
 */
export interface AuditPolicy {
  /** Rules in order. */
  readonly rules: readonly AuditPolicyRule[];
  /** Stages without an event. Default: none. */
  readonly omitStages?: readonly AuditStage[];
  /** Whether bodies are recorded without managed fields. Default: false. */
  readonly omitManagedFields?: boolean;
}

/** What a policy says of one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

const levels: readonly string[] = ["None", "Metadata", "Request", "RequestResponse"];
const stages: readonly string[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** What a policy says of a request; without a user where nobody could be identified. */
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
  return pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")));
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

/** Reads a policy as kube-apiserver's `--audit-policy-file`: YAML or JSON of `audit.k8s.io/v1`. Throws a `ConfigError` that says what is wrong. */
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
    if (url !== "*" && !url.startsWith("/"))
      problems.push(
        `${at}.nonResourceURLs[${index}]: Invalid value: ${JSON.stringify(url)}: non-resource URL rules must begin with a '/' character`,
      );
    if (url.slice(0, -1).includes("*"))
      problems.push(
        `${at}.nonResourceURLs[${index}]: Invalid value: ${JSON.stringify(url)}: non-resource URL wildcards '*' must be the final character of the rule`,
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
