import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from "../../../kinds/admissionregistration/v1.js";
import { CelCompileError } from "../../cel/check.js";
import { CelProgramError, compilePolicyCel, policyResults } from "../../cel/policy.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { duplicate, invalid, notSupported, qualifiedName, required, tooMany } from "../shared/field-errors.js";
import { selectorErrors } from "../shared/selectors.js";

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];
/** The policies that decide whether other versions of a kind match too. */
export const MATCH_POLICIES: readonly string[] = ["Equivalent", "Exact"];
/** What may happen where a policy or webhook fails. */
export const FAILURE_POLICIES: readonly string[] = ["Fail", "Ignore"];

/** Errors of a rule on what a policy or webhook sees. */
export function ruleErrors(rule: RuleWithOperations, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const { operations, apiVersions, resources, scope } = rule;
  const alone = (field: "operations" | "apiGroups" | "apiVersions", what: string): void => {
    const values = rule[field] ?? [];
    if (values.length === 0) errors.push(required(`${at}.${field}`));
    if (values.length > 1 && values.includes("*"))
      errors.push(invalid(`${at}.${field}`, values, `if '*' is present, must not specify other ${what}`));
  };
  alone("operations", "operations");
  (operations ?? []).forEach((operation, index) => {
    if (!OPERATIONS.includes(operation))
      errors.push(notSupported(`${at}.operations[${String(index)}]`, operation, OPERATIONS));
  });
  alone("apiGroups", "API groups");
  alone("apiVersions", "API versions");
  (apiVersions ?? []).forEach((version, index) => {
    if (version === "") errors.push(required(`${at}.apiVersions[${String(index)}]`));
  });
  errors.push(...resourceErrors(resources ?? [], `${at}.resources`));
  if (scope !== undefined && !SCOPES.includes(scope)) errors.push(notSupported(`${at}.scope`, scope, SCOPES));
  return errors;
}

function resourceErrors(resources: readonly string[], at: string): FieldError[] {
  const errors = resources.length === 0 ? [required(at)] : [];
  const everySubresource = new Set<string>();
  const everyResource = new Set<string>();
  let plain = false;
  resources.forEach((resource, index) => {
    const place = `${at}[${String(index)}]`;
    if (resource === "") {
      errors.push(required(place));
      return;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      plain = resource !== "*";
      return;
    }
    const [name, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (everySubresource.has(name))
      errors.push(invalid(place, resource, `if '${name}/*' is present, must not specify ${resource}`));
    if (everyResource.has(sub))
      errors.push(invalid(place, resource, `if '*/${sub}' is present, must not specify ${resource}`));
    if (sub === "*") everySubresource.add(name);
    if (name === "*") everyResource.add(sub);
  });
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(at, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && plain)
    errors.push(invalid(at, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

function namedRuleErrors(rule: NamedRuleWithOperations, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  (rule.resourceNames ?? []).forEach((name, index) => {
    const place = `${at}.resourceNames[${String(index)}]`;
    errors.push(...nameErrors(name, "pathSegment").map((detail) => invalid(place, name, detail)));
    if (names.has(name)) errors.push(duplicate(place, name));
    names.add(name);
  });
  return [...errors, ...ruleErrors(rule, at)];
}

/** Errors of what a policy or binding matches. */
export function matchResourcesErrors(match: MatchResources | undefined, at: string): FieldError[] {
  if (match === undefined) return [];
  const errors: FieldError[] = [];
  if (match.matchPolicy === undefined) errors.push(required(`${at}.matchPolicy`));
  else if (!MATCH_POLICIES.includes(match.matchPolicy))
    errors.push(notSupported(`${at}.matchPolicy`, match.matchPolicy, MATCH_POLICIES));
  for (const field of ["namespaceSelector", "objectSelector"] as const) {
    const selector = match[field];
    errors.push(
      ...(selector === undefined ? [required(`${at}.${field}`)] : selectorErrors(selector, `${at}.${field}`)),
    );
  }
  for (const field of ["resourceRules", "excludeResourceRules"] as const) {
    (match[field] ?? []).forEach((rule, index) =>
      errors.push(...namedRuleErrors(rule, `${at}.${field}[${String(index)}]`)),
    );
  }
  return errors;
}

/** A condition under which a policy or webhook is asked. */
interface Condition {
  readonly name: string;
  readonly expression: string;
}

const MOST_CONDITIONS = 64;

/** Errors of the conditions of a policy or webhook. */
export function conditionErrors(
  conditions: readonly Condition[] | undefined,
  params: boolean,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  if ((conditions ?? []).length > MOST_CONDITIONS) errors.push(tooMany(at, conditions!.length, MOST_CONDITIONS));
  (conditions ?? []).forEach(({ name, expression }, index) => {
    const place = `${at}[${String(index)}]`;
    const trimmed = expression.trim();
    errors.push(
      ...(trimmed === ""
        ? [required(`${place}.expression`)]
        : expressionErrors(`${place}.expression`, trimmed, () =>
            compilePolicyCel(trimmed, { params, authorizer: true }, policyResults.condition),
          )),
    );
    errors.push(...(name === "" ? [required(`${place}.name`)] : qualifiedName(`${place}.name`, name)));
    if (name !== "" && names.has(name)) errors.push(duplicate(`${place}.name`, name));
    names.add(name);
  });
  return errors;
}

/** An error where an expression does not compile. */
export function expressionErrors(field: string, shown: string, compile: () => unknown): FieldError[] {
  try {
    compile();
    return [];
  } catch (error) {
    if (error instanceof CelProgramError) return [{ type: "InternalError", field, detail: error.message }];
    if (!(error instanceof CelCompileError)) throw error;
    return [invalid(field, shown, error.message)];
  }
}
