import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime } from "../objects/metadata.js";

interface Subject {
  readonly kind: string;
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string };
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: { readonly type: string } | null;
  readonly rules?: readonly {
    readonly subjects: readonly Subject[];
    readonly resourceRules?: readonly ResourceRule[];
    readonly nonResourceRules?: readonly NonResourceRule[];
  }[];
}

/** A parsed FlowSchema. */
export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  readonly precedence: number;
  /** Name of its priority level. */
  readonly level: string;
  /** Returns the flow of the schema that a request belongs to. */
  distinguisher(user: UserInfo, info: RequestInfo): string;
  /** True if the schema matches the request. */
  matches(user: UserInfo, info: RequestInfo): boolean;
}

/** Parses FlowSchemas and sorts them by precedence: the first match wins. */
export function readFlowSchemas(objects: Iterable<ApiObject>): FlowSchema[] {
  return [...objects].map(toFlowSchema).sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
}

function toFlowSchema(object: ApiObject): FlowSchema {
  const spec = object["spec"] as FlowSchemaSpec;
  const method = spec.distinguisherMethod?.type;
  return {
    name: object.metadata?.name ?? "",
    uid: object.metadata?.uid ?? "",
    precedence: spec.matchingPrecedence ?? 1000,
    level: spec.priorityLevelConfiguration.name,
    distinguisher: (user, info) => (method === "ByUser" ? user.name : method === "ByNamespace" ? info.namespace : ""),
    matches: (user, info) =>
      (spec.rules ?? []).some(
        (rule) =>
          rule.subjects.some((subject) => isSubject(subject, user)) &&
          (info.isResource
            ? (rule.resourceRules ?? []).some((part) => matchesResource(part, info))
            : (rule.nonResourceRules ?? []).some((part) => matchesPath(part, info))),
      ),
  };
}

function isSubject(subject: Subject, user: UserInfo): boolean {
  if (subject.kind === "User") return subject.user?.name === "*" || subject.user?.name === user.name;
  if (subject.kind === "Group") return subject.group?.name === "*" || user.groups.includes(subject.group?.name ?? "");
  if (subject.kind !== "ServiceAccount" || subject.serviceAccount === undefined) return false;
  const { namespace, name } = subject.serviceAccount;
  const prefix = `system:serviceaccount:${namespace}:`;
  return name === "*" ? user.name.startsWith(prefix) : user.name === prefix + name;
}

function has(values: readonly string[], wanted: string): boolean {
  return values.includes("*") || values.includes(wanted);
}

function matchesResource(rule: ResourceRule, info: RequestInfo): boolean {
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  if (!has(rule.verbs, info.verb) || !has(rule.resources, resource) || !has(rule.apiGroups, info.group)) return false;
  return info.namespace === "" ? rule.clusterScope === true : has(rule.namespaces ?? [], info.namespace);
}

function matchesPath(rule: NonResourceRule, info: RequestInfo): boolean {
  if (!has(rule.verbs, info.verb)) return false;
  return rule.nonResourceURLs.some((pattern) => {
    if (pattern === "*" || pattern === info.path) return true;
    const prefix = pattern.replace(/\*$/, "");
    return info.path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
  });
}

/** Returns the `Dangling` condition of a FlowSchema, or `undefined` if the stored one is up to date. */
export function danglingCondition(
  schema: ApiObject,
  levels: ReadonlySet<string>,
  nowMs: number,
): Record<string, string> | undefined {
  const level = (schema["spec"] as FlowSchemaSpec | undefined)?.priorityLevelConfiguration.name ?? "";
  const found = levels.has(level);
  const quoted = JSON.stringify(level);
  const wanted = {
    type: "Dangling",
    status: found ? "False" : "True",
    reason: found ? "Found" : "NotFound",
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${quoted} ${found ? "and it exists" : "but there is no such object"}`,
  };
  const status = schema["status"] as { conditions?: Record<string, string>[] } | undefined;
  const present = status?.conditions?.find((condition) => condition["type"] === "Dangling");
  if (Object.entries(wanted).every(([key, value]) => present?.[key] === value)) return undefined;
  const changed = present?.["status"] !== wanted.status;
  return { ...wanted, lastTransitionTime: changed ? formatTime(nowMs) : present["lastTransitionTime"]! };
}
