import type { FlowSchema } from "../../../kinds/flowcontrol/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { wholeMetadata } from "../shared/metadata-rules.js";
import { mandatoryErrors, statusErrors } from "./bootstrap-spec.js";

type Spec = NonNullable<FlowSchema["spec"]>;
type Rules = NonNullable<Spec["rules"]>[number];
type ResourceRule = NonNullable<Rules["resourceRules"]>[number];
type NonResourceRule = NonNullable<Rules["nonResourceRules"]>[number];
type Subject = Rules["subjects"][number];

const mostPrecedence = 10_000;
const distinguisherMethods = ["ByNamespace", "ByUser"];
const knownVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function validate(schema: FlowSchema): FieldError[] {
  const name = schema.metadata?.name ?? "";
  const { matchingPrecedence = 0, distinguisherMethod: method, priorityLevelConfiguration, rules } = schema.spec ?? {};
  return [
    ...precedenceErrors(matchingPrecedence, name),
    ...(method === undefined ? [] : check.oneOf("spec.distinguisherMethod.type", method.type, distinguisherMethods)),
    ...check.requiredText("spec.priorityLevelConfiguration.name", priorityLevelConfiguration?.name, check.dnsSubdomain),
    ...check.eachItem(rules, "spec.rules", rulesErrors),
    ...mandatoryErrors("FlowSchema", name, schema.spec),
    ...statusErrors(schema),
  ];
}

function precedenceErrors(precedence: number, name: string): FieldError[] {
  const field = "spec.matchingPrecedence";
  if (precedence <= 0 || precedence > mostPrecedence)
    return [invalid(field, precedence, `must be positive and not greater than ${String(mostPrecedence)}`)];
  return precedence === 1 && name !== "exempt"
    ? [invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
    : [];
}

function rulesErrors({ subjects, resourceRules = [], nonResourceRules = [] }: Rules, at: string): FieldError[] {
  return [
    ...(((subjects as Subject[] | null) ?? []).length === 0 ? [required(`${at}.subjects`)] : []),
    ...check.eachItem(subjects, `${at}.subjects`, subjectErrors),
    ...(resourceRules.length === 0 && nonResourceRules.length === 0
      ? [required(at, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...check.eachItem(resourceRules, `${at}.resourceRules`, resourceRuleErrors),
    ...check.eachItem(nonResourceRules, `${at}.nonResourceRules`, nonResourceRuleErrors),
  ];
}

function resourceRuleErrors(rule: ResourceRule, at: string): FieldError[] {
  const namespaces = (rule.namespaces as readonly string[] | null | undefined) ?? [];
  const errors = [
    ...verbErrors(rule.verbs, `${at}.verbs`),
    ...check.itemsOrWildcard(`${at}.apiGroups`, rule.apiGroups),
    ...check.itemsOrWildcard(`${at}.resources`, rule.resources),
  ];
  if (namespaces.length === 0) return rule.clusterScope === true ? errors : [...errors, required(`${at}.namespaces`)];
  return [
    ...errors,
    ...(namespaces.includes("*")
      ? check.itemsOrWildcard(`${at}.namespaces`, namespaces)
      : check.eachItem(namespaces, `${at}.namespaces`, (namespace, field) => check.dnsLabel(field, namespace))),
  ];
}

function nonResourceRuleErrors(rule: NonResourceRule, at: string): FieldError[] {
  const urls: readonly string[] = rule.nonResourceURLs ?? [];
  const field = `${at}.nonResourceURLs`;
  return [
    ...verbErrors(rule.verbs, `${at}.verbs`),
    ...(urls.length === 0 || urls.includes("*")
      ? check.itemsOrWildcard(field, urls)
      : check.eachItem(urls, field, urlErrors)),
  ];
}

function verbErrors(values: readonly string[] | null | undefined, at: string): FieldError[] {
  const verbs = values ?? [];
  if (verbs.length === 0 || verbs.includes("*")) return check.itemsOrWildcard(at, verbs);
  return verbs.every((verb) => knownVerbs.includes(verb)) ? [] : [notSupported(at, verbs, knownVerbs)];
}

function urlErrors(url: string, at: string): FieldError[] {
  return /^\/[^ *]*(?<=\/)\*$|^\/[^ *]*$/.test(url) && !url.includes("//")
    ? []
    : [invalid(at, url, "must be an absolute path, which may end with '/*'")];
}

const members = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function subjectErrors(subject: Subject, at: string): FieldError[] {
  const { kind } = subject;
  if (!Object.hasOwn(members, kind)) return [notSupported(`${at}.kind`, kind, ["Group", "ServiceAccount", "User"])];
  const own = members[kind as keyof typeof members];
  return [
    ...(subject[own] === undefined ? [required(`${at}.${own}`)] : nameErrors(subject, `${at}.${own}`)),
    ...Object.values(members)
      .filter((field) => field !== own && subject[field] !== undefined)
      .map((field) => forbidden(`${at}.${field}`, `may not be set for a subject of kind '${kind}'`)),
  ];
}

function nameErrors({ kind, user, group, serviceAccount }: Subject, at: string): FieldError[] {
  if (kind !== "ServiceAccount") return check.requiredText(`${at}.name`, kind === "User" ? user?.name : group?.name);
  return [
    ...check.requiredText(`${at}.name`, serviceAccount?.name, (field, name) =>
      name === "*" ? [] : check.dnsSubdomain(field, name),
    ),
    ...check.requiredText(`${at}.namespace`, serviceAccount?.namespace, check.dnsLabel),
  ];
}

/** Prints whether the priority level is missing: the status of the condition, even if that's empty. */
function missingLevel(conditions: NonNullable<FlowSchema["status"]>["conditions"]): string {
  const condition = conditions?.find(({ type }) => type === "Dangling");
  return condition === undefined ? "?" : (condition.status ?? "");
}

export const flowSchema: KindDefinition = defineBuiltin<FlowSchema>({
  resource: "flowcontrol.apiserver.k8s.io/flowschemas",
  generation: { counts: "fromOne" },
  metadata: { checkedAsNew: "everywhere", keptByStatus: wholeMetadata },
  defaults: {
    "io.k8s.api.flowcontrol.v1.FlowSchemaSpec": (spec: Spec) => {
      spec.matchingPrecedence ||= 1000;
    },
  },
  prepare: { create: dropStatus },
  validate: { create: validate, status: statusErrors, checksEnums: true },
  printer: {
    columns: "PriorityLevel,MatchingPrecedence,DistinguisherMethod,Age,MissingPL",
    cells: ({ spec, status }, age) => [
      spec?.priorityLevelConfiguration.name ?? "",
      spec?.matchingPrecedence ?? 0,
      spec?.distinguisherMethod?.type ?? "<none>",
      age,
      missingLevel(status?.conditions),
    ],
    // The order in which requests are matched. A list is already sorted by name.
    compare: (a, b) => (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0),
  },
});
