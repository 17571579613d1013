import type { LabelSelector } from "../../meta/label-selector.js";
import type { AdmissionAttributes, AdmissionPlugin, RequestContext } from "../core.js";
import type { ApiObject } from "../registry/strategy.js";
import { failure } from "../status.js";
import { evaluate, policyVariables } from "./cel-variables.js";
import type { NamedExpression, PolicyVariables } from "./cel-variables.js";
import type { AdmissionRule } from "./match-rules.js";
import { isExempt, ruleMatches, selectorsMatch, selects } from "./match-rules.js";
import { getStored, listStored } from "./stored.js";

const GROUP = "admissionregistration.k8s.io";
/** Longest message that a `messageExpression` may make, in characters. */
const LONGEST_MESSAGE = 5 * 1024;

interface MatchResources {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly AdmissionRule[];
  readonly excludeResourceRules?: readonly AdmissionRule[];
}

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  readonly validations?: readonly Validation[];
}

interface BindingSpec {
  readonly policyName: string;
  readonly validationActions?: readonly string[];
  readonly matchResources?: MatchResources;
  readonly paramRef?: { readonly name?: string; readonly namespace?: string; readonly selector?: LabelSelector; readonly parameterNotFoundAction?: string };
}

interface Denial {
  readonly message: string;
  readonly reason: string;
}

const codes: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };

/**
 * Holds requests against ValidatingAdmissionPolicies.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export const validatingPolicies: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  validate(attributes, context) {
    if (isExempt(attributes)) return;
    const { core } = context;
    for (const binding of listStored(core, `${GROUP}/validatingadmissionpolicybindings`)) {
      const spec = binding["spec"] as BindingSpec;
      const policy = getStored(core, `${GROUP}/validatingadmissionpolicies`, spec.policyName);
      if (policy === undefined) continue;
      const rules = policy["spec"] as PolicySpec;
      if (!matches(rules.matchConstraints, attributes, context, true) || !matches(spec.matchResources, attributes, context, false)) continue;
      const names = `ValidatingAdmissionPolicy '${spec.policyName}' with binding '${binding.metadata?.name ?? ""}'`;
      const denial = firstDenial(rules, spec, attributes, context);
      if (denial === undefined) continue;
      const actions = spec.validationActions ?? ["Deny"];
      if (actions.includes("Warn")) context.warn(`Validation failed for ${names}: ${denial.message}`);
      if (actions.includes("Deny")) throw refuse(attributes, `${names} denied request: ${denial.message}`, denial.reason);
    }
  },
};

function matches(match: MatchResources | undefined, attributes: AdmissionAttributes, { core }: RequestContext, needsRules: boolean): boolean {
  const rules = match?.resourceRules ?? [];
  if (rules.length === 0 ? needsRules : !rules.some((rule) => ruleMatches(rule, attributes))) return false;
  if ((match?.excludeResourceRules ?? []).some((rule) => ruleMatches(rule, attributes))) return false;
  return selectorsMatch(core, attributes, match ?? {});
}

/** The first thing wrong with a request, for the first set of parameters for which there is one. */
function firstDenial(policy: PolicySpec, binding: BindingSpec, attributes: AdmissionAttributes, context: RequestContext): Denial | undefined {
  const failed = (text: string): Denial | undefined => (policy.failurePolicy === "Ignore" ? undefined : { message: text, reason: "Invalid" });
  const found = parametersOf(policy, binding, attributes, context);
  if (found.length === 0) {
    return binding.paramRef?.parameterNotFoundAction === "Allow" ? undefined : failed("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  for (const params of found) {
    const variables = policyVariables(attributes, context, params, policy.variables ?? []);
    try {
      if (!(policy.matchConditions ?? []).every(({ expression }) => evaluate(expression, variables) === true)) continue;
    } catch (error) {
      const denial = failed(`failed to evaluate match conditions: ${textOf(error)}`);
      if (denial !== undefined) return denial;
      continue;
    }
    for (const validation of policy.validations ?? []) {
      const denial = check(validation, variables, failed);
      if (denial !== undefined) return denial;
    }
  }
  return undefined;
}

function check(validation: Validation, variables: PolicyVariables, failed: (text: string) => Denial | undefined): Denial | undefined {
  const expression = validation.expression.trim();
  try {
    if (evaluate(validation.expression, variables) === true) return undefined;
  } catch (error) {
    return failed(`expression '${expression}' resulted in error: ${textOf(error)}`);
  }
  const message = messageOf(validation, variables) ?? validation.message?.trim() ?? `failed expression: ${expression}`;
  return { message, reason: validation.reason ?? "Invalid" };
}

/** What a message expression makes; `undefined` if that is nothing to show. */
function messageOf({ messageExpression }: Validation, variables: PolicyVariables): string | undefined {
  if (messageExpression === undefined) return undefined;
  try {
    const value = evaluate(messageExpression, variables);
    const text = typeof value === "string" ? value.trim() : "";
    return text === "" || text.length > LONGEST_MESSAGE || text.includes("\n") ? undefined : text;
  } catch {
    // The plain message stands in for an expression that fails.
    return undefined;
  }
}

/** The objects by which a binding sets the policy's parameters; one `undefined` for a policy without any. */
function parametersOf({ paramKind }: PolicySpec, { paramRef }: BindingSpec, { namespace }: AdmissionAttributes, { core }: RequestContext): (ApiObject | undefined)[] {
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const group = paramKind.apiVersion.includes("/") ? paramKind.apiVersion.slice(0, paramKind.apiVersion.indexOf("/")) : "";
  const resource = core.resources.storages().find((candidate) => candidate.group === group && candidate.kind === paramKind.kind);
  if (resource === undefined) return [];
  const home = resource.namespaced ? (paramRef.namespace ?? namespace) : undefined;
  if (paramRef.name !== undefined) {
    const object = getStored(core, resource.bucket, home === undefined ? paramRef.name : `${home}/${paramRef.name}`);
    return object === undefined ? [] : [object];
  }
  return listStored(core, resource.bucket, home).filter((object) => selects(paramRef.selector, object.metadata?.labels ?? {}));
}

function refuse({ resource, name, object }: AdmissionAttributes, text: string, reason: string): Error {
  const shown = object?.metadata?.name ?? name;
  const qualified = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return failure(codes[reason] ?? 422, reason, `${qualified} ${JSON.stringify(shown)} is forbidden: ${text}`, {
    ...(shown === "" ? {} : { name: shown }), ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.resource, causes: [{ message: text }],
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
