import { bootstrapObjects } from "../../../gen/bootstrap.js";
import type { FlowSchema, PriorityLevelConfiguration } from "../../../kinds/flowcontrol/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { sameJson } from "../../objects/metadata.js";
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../shared/field-errors.js";

type FlowSpec = NonNullable<FlowSchema["spec"]>;
type Rules = NonNullable<FlowSpec["rules"]>[number];
type Subject = Rules["subjects"][number];
type LevelSpec = NonNullable<PriorityLevelConfiguration["spec"]>;
type Response = NonNullable<NonNullable<LevelSpec["limited"]>["limitResponse"]>;

const MOST_PRECEDENCE = 10_000;
const MOST_QUEUES = 10_000_000;
const HASH_BITS = 60;
const METHODS = ["ByNamespace", "ByUser"];
const SUBJECTS = ["Group", "ServiceAccount", "User"];
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const PRESERVE_ZERO = "flowcontrol.k8s.io/preserve-zero-concurrency-shares";

interface Fixed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

let fixed: readonly Fixed[] | undefined;

/** The error of an object that there must be, where its spec is not as it must be; of the level `exempt` what it exempts is free. */
function fixedErrors(kind: Fixed["kind"], name: string, spec: object | undefined): FieldError[] {
  if (name !== "exempt" && name !== "catch-all") return [];
  fixed ??= (bootstrapObjects() as Fixed[]).filter((object) =>
    /^(FlowSchema|PriorityLevelConfiguration)$/.test(object.kind),
  );
  const must = fixed.find((object) => object.kind === kind && object.metadata.name === name)?.spec;
  const partly = kind === "PriorityLevelConfiguration" && name === "exempt";
  const relevant = (of: object | undefined): object => (partly ? { ...of, exempt: undefined } : { ...of });
  return must === undefined || sameJson(relevant(spec), relevant(must))
    ? []
    : [
        invalid(
          "spec",
          spec,
          `spec of '${name}'${partly ? " except the 'spec.exempt' field" : ""} must equal the fixed value`,
        ),
      ];
}

/** Errors of a FlowSchema. */
export function validateFlowSchema({ spec, metadata, status }: FlowSchema): FieldError[] {
  const errors: FieldError[] = [];
  const precedence = spec?.matchingPrecedence ?? 0;
  const at = "spec.matchingPrecedence";
  if (precedence <= 0) errors.push(invalid(at, precedence, "must be a positive value"));
  if (precedence > MOST_PRECEDENCE)
    errors.push(invalid(at, precedence, `must not be greater than ${String(MOST_PRECEDENCE)}`));
  if (precedence === 1 && metadata?.name !== "exempt")
    errors.push(invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  const method = spec?.distinguisherMethod;
  if (method !== undefined && !METHODS.includes(method.type))
    errors.push(notSupported("spec.distinguisherMethod.type", { Type: method.type }, METHODS));
  const level = spec?.priorityLevelConfiguration.name ?? "";
  errors.push(
    ...(level === ""
      ? [required("spec.priorityLevelConfiguration.name", "must reference a priority level")]
      : dnsSubdomain("spec.priorityLevelConfiguration.name", level)),
  );
  (spec?.rules ?? []).forEach((rules, index) => errors.push(...rulesErrors(rules, `spec.rules[${String(index)}]`)));
  return [...errors, ...fixedErrors("FlowSchema", metadata?.name ?? "", spec), ...conditionErrors(status?.conditions)];
}

function rulesErrors({ subjects, resourceRules = [], nonResourceRules = [] }: Rules, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const named: readonly Subject[] = subjects ?? [];
  if (named.length === 0) errors.push(required(`${at}.subjects`, "subjects must contain at least one value"));
  named.forEach((subject, index) => errors.push(...subjectErrors(subject, `${at}.subjects[${String(index)}]`)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(at, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  resourceRules.forEach((rule, index) => {
    const place = `${at}.resourceRules[${String(index)}]`;
    errors.push(...verbErrors(rule.verbs, `${place}.verbs`));
    errors.push(
      ...listErrors(
        rule.apiGroups,
        `${place}.apiGroups`,
        "resource rules must supply at least one api group",
        "api groups",
      ),
    );
    errors.push(
      ...listErrors(
        rule.resources,
        `${place}.resources`,
        "resource rules must supply at least one resource",
        "resources",
      ),
    );
    const namespaces = rule.namespaces ?? [];
    if (namespaces.length === 0 && rule.clusterScope !== true)
      errors.push(
        required(
          `${place}.namespaces`,
          "resource rules that are not cluster scoped must supply at least one namespace",
        ),
      );
    else if (namespaces.includes("*")) errors.push(...listErrors(namespaces, `${place}.namespaces`, "", "namespaces"));
    else
      namespaces.forEach((namespace, each) =>
        errors.push(
          ...dnsLabel(`${place}.namespaces[${String(each)}]`, namespace).map((error) => ({
            ...error,
            detail: `each member of this list must be '*' or a DNS-1123 label; ${error.detail}`,
          })),
        ),
      );
  });
  nonResourceRules.forEach((rule, index) => {
    const place = `${at}.nonResourceRules[${String(index)}]`;
    const urls: readonly string[] = rule.nonResourceURLs ?? [];
    errors.push(...verbErrors(rule.verbs, `${place}.verbs`));
    if (urls.length === 0 || urls.includes("*"))
      errors.push(
        ...listErrors(
          urls,
          `${place}.nonResourceURLs`,
          "nonResourceURLs must contain at least one value",
          "non-resource URLs",
        ),
      );
    else urls.forEach((url, each) => errors.push(...urlErrors(url, `${place}.nonResourceURLs[${String(each)}]`)));
  });
  return errors;
}

function listErrors(
  given: readonly string[] | null | undefined,
  at: string,
  missing: string,
  others: string,
): FieldError[] {
  const values = given ?? [];
  if (values.length === 0) return [required(at, missing)];
  return values.length > 1 && values.includes("*")
    ? [invalid(at, values, `if '*' is present, must not specify other ${others}`)]
    : [];
}

function verbErrors(given: readonly string[] | null | undefined, at: string): FieldError[] {
  const verbs = given ?? [];
  if (verbs.length === 0 || verbs.includes("*"))
    return listErrors(verbs, at, "verbs must contain at least one value", "verbs");
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(at, verbs, VERBS)];
}

function urlErrors(url: string, at: string): FieldError[] {
  const stars = url.split("*").length - 1;
  if (url === "") return [invalid(at, url, "must not be empty")];
  if (url === "/") return [];
  if (!url.startsWith("/")) return [invalid(at, url, "must start with slash")];
  if (url.includes(" ")) return [invalid(at, url, "must not contain white-space")];
  if (url.includes("//")) return [invalid(at, url, "must not contain double slash")];
  return stars > 1 || (stars === 1 && !url.endsWith("/*"))
    ? [invalid(at, url, "wildcard can only do suffix matching")]
    : [];
}

const members: Readonly<Record<string, keyof Subject & ("user" | "group" | "serviceAccount")>> = {
  User: "user",
  Group: "group",
  ServiceAccount: "serviceAccount",
};

function subjectErrors(subject: Subject, at: string): FieldError[] {
  const kind = subject.kind;
  if (!SUBJECTS.includes(kind)) return [notSupported(`${at}.kind`, kind, SUBJECTS)];
  const own = members[kind]!;
  const errors =
    subject[own] === undefined
      ? [required(`${at}.${own}`, `${own} is required when subject kind is '${kind}'`)]
      : nameErrorsOf(subject, `${at}.${own}`);
  // The others are looked at in an order of their own.
  for (const [other, field] of [
    ["ServiceAccount", "serviceAccount"],
    ["User", "user"],
    ["Group", "group"],
  ] as const) {
    if (field !== own && subject[field] !== undefined)
      errors.push(forbidden(`${at}.${field}`, `${field} is forbidden when subject kind is not '${other}'`));
  }
  return errors;
}

function nameErrorsOf({ kind, user, group, serviceAccount }: Subject, at: string): FieldError[] {
  const name = (kind === "User" ? user?.name : kind === "Group" ? group?.name : serviceAccount?.name) ?? "";
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${at}.name`));
  else if (kind === "ServiceAccount" && name !== "*") errors.push(...dnsSubdomain(`${at}.name`, name));
  if (kind !== "ServiceAccount") return errors;
  const namespace = serviceAccount?.namespace ?? "";
  return [
    ...errors,
    ...(namespace === ""
      ? [required(`${at}.namespace`, "must specify namespace for service account")]
      : dnsLabel(`${at}.namespace`, namespace)),
  ];
}

function conditionErrors(conditions: readonly { readonly type?: string }[] | undefined): FieldError[] {
  const types = (conditions ?? []).map(({ type }) => type ?? "");
  return types.flatMap((type, index) => {
    const at = `status.conditions[${String(index)}].type`;
    return [...(types.indexOf(type) < index ? [duplicate(at, type)] : []), ...(type === "" ? [required(at)] : [])];
  });
}

/** Errors of a PriorityLevelConfiguration. */
export function validatePriorityLevel({ spec, metadata, status }: PriorityLevelConfiguration): FieldError[] {
  const errors: FieldError[] = [];
  const type: string = spec?.type ?? "";
  if (Object.hasOwn(metadata?.annotations ?? {}, PRESERVE_ZERO))
    errors.push(forbidden("metadata.annotations", `annotation '${PRESERVE_ZERO}' is forbidden`));
  if ((metadata?.name === "exempt") !== (type === "Exempt"))
    errors.push(invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === "Exempt") {
    if (spec?.limited !== undefined) errors.push(forbidden("spec.limited", "must be nil if the type is not Limited"));
    errors.push(...sharesErrors(spec?.exempt ?? {}, "spec.exempt"));
  } else if (type === "Limited") {
    if (spec?.exempt !== undefined) errors.push(forbidden("spec.exempt", "must be nil if the type is Limited"));
    errors.push(
      ...(spec?.limited === undefined
        ? [required("spec.limited", "must not be empty when type is Limited")]
        : limitedErrors(spec.limited, "spec.limited")),
    );
  } else errors.push(type === "" ? required("spec.type") : notSupported("spec.type", type, ["Exempt", "Limited"]));
  return [
    ...errors,
    ...fixedErrors("PriorityLevelConfiguration", metadata?.name ?? "", spec),
    ...conditionErrors(status?.conditions),
  ];
}

function sharesErrors(
  {
    nominalConcurrencyShares = 0,
    lendablePercent,
  }: { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number },
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (nominalConcurrencyShares < 0)
    errors.push(invalid(`${at}.nominalConcurrencyShares`, nominalConcurrencyShares, "must be a non-negative integer"));
  if (lendablePercent !== undefined && (lendablePercent < 0 || lendablePercent > 100))
    errors.push(invalid(`${at}.lendablePercent`, lendablePercent, "must be between 0 and 100, inclusive"));
  return errors;
}

function limitedErrors(limited: NonNullable<LevelSpec["limited"]>, at: string): FieldError[] {
  const { nominalConcurrencyShares = 0, lendablePercent, borrowingLimitPercent, limitResponse } = limited;
  const errors = sharesErrors({ nominalConcurrencyShares }, at);
  errors.push(
    ...responseErrors(limitResponse, `${at}.limitResponse`),
    ...sharesErrors(lendablePercent === undefined ? {} : { lendablePercent }, at),
  );
  if (borrowingLimitPercent !== undefined && borrowingLimitPercent < 0)
    errors.push(
      invalid(`${at}.borrowingLimitPercent`, borrowingLimitPercent, "if specified, must be a non-negative integer"),
    );
  return errors;
}

function responseErrors(response: Response | undefined, at: string): FieldError[] {
  const type: string = response?.type ?? "";
  const queuing = response?.queuing;
  if (type === "Reject")
    return queuing === undefined
      ? []
      : [forbidden(`${at}.queuing`, "must be nil if limited.limitResponse.type is not Limited")];
  if (type !== "Queue")
    return [type === "" ? required(`${at}.type`) : notSupported(`${at}.type`, type, ["Queue", "Reject"])];
  if (queuing === undefined)
    return [required(`${at}.queuing`, "must not be empty if limited.limitResponse.type is Limited")];
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing;
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0)
    errors.push(invalid(`${at}.queuing.queueLengthLimit`, queueLengthLimit, "must be positive"));
  if (queues <= 0) errors.push(invalid(`${at}.queuing.queues`, queues, "must be positive"));
  else if (queues > MOST_QUEUES)
    errors.push(invalid(`${at}.queuing.queues`, queues, `must not be greater than ${String(MOST_QUEUES)}`));
  const bits = entropyBits(queues, handSize);
  if (handSize <= 0) errors.push(invalid(`${at}.queuing.handSize`, handSize, "must be positive"));
  else if (handSize > queues)
    errors.push(invalid(`${at}.queuing.handSize`, handSize, `should not be greater than queues (${String(queues)})`));
  else if (bits > HASH_BITS)
    errors.push(
      invalid(
        `${at}.queuing.handSize`,
        handSize,
        `required entropy bits of deckSize ${String(queues)} and handSize ${String(handSize)} should not be greater than ${String(HASH_BITS)}`,
      ),
    );
  return errors;
}

/** Bits that it takes to deal a hand of this size out of a deck of that size. */
function entropyBits(deck: number, hand: number): number {
  return Math.ceil(Math.log2(deck) * hand);
}

/** Errors of the conditions of a FlowSchema or a PriorityLevelConfiguration: each type once. */
export function validateFlowStatus({
  status,
}: {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}): FieldError[] {
  const seen = new Set<string>();
  return (status?.conditions ?? []).flatMap(({ type = "" }, index) => {
    const at = `status.conditions[${String(index)}].type`;
    const errors = [...(seen.has(type) ? [duplicate(at, type)] : []), ...(type === "" ? [required(at)] : [])];
    seen.add(type);
    return errors;
  });
}
