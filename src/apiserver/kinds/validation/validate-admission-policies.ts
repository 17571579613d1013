import type {
  AuditAnnotation,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
  Variable,
} from "../../../kinds/admissionregistration/v1.js";
import { CelCompileError } from "../../cel/check.js";
import {
  compilePolicyCel,
  type PolicyResults,
  type PolicyScope,
  policyResults,
  policyVariableType,
} from "../../cel/policy.js";
import { type CelStaticType, dynType } from "../../cel/types.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import {
  dnsSubdomain,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  qualifiedName,
  required,
  sameValue,
} from "../shared/field-errors.js";
import { conditionsErrors, selectorErrors } from "../shared/selectors.js";
import { conditionErrors, expressionErrors, FAILURE_POLICIES, matchResourcesErrors } from "./validate-match-rules.js";

const MUTATING_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];
const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS = ["Audit", "Deny", "Warn"];
const REINVOCATIONS = ["IfNeeded", "Never"];
const PATCHES = ["ApplyConfiguration", "JSONPatch"];
const MOST_ANNOTATIONS = 20;
const LONGEST_ANNOTATION = 5 * 1024;
const RESERVED = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

/** Errors of a ValidatingAdmissionPolicy. */
export function validateValidatingPolicy(policy: ValidatingAdmissionPolicy): FieldError[] {
  return validatingPolicyErrors(policy, true);
}

/** Errors of a changed ValidatingAdmissionPolicy. */
export function validateValidatingPolicyUpdate(
  policy: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy,
): FieldError[] {
  return validatingPolicyErrors(policy, conditionsChanged(policy, old));
}

/** Errors of what a server found about a ValidatingAdmissionPolicy. */
export function validateValidatingPolicyStatus({ status }: ValidatingAdmissionPolicy): FieldError[] {
  const warnings = (status?.typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, index) => {
    const at = `status.typeChecking.expressionWarnings[${String(index)}]`;
    return [
      ...(warning === "" ? [required(`${at}.warning`)] : []),
      ...(fieldRef.trim() === "" ? [required(`${at}.fieldRef`)] : []),
    ];
  });
  return [...warnings, ...conditionsErrors(status?.conditions ?? [], "status.conditions")];
}

/** Errors of a MutatingAdmissionPolicy. */
export function validateMutatingPolicy(policy: MutatingAdmissionPolicy): FieldError[] {
  return mutatingPolicyErrors(policy, true);
}

/** Errors of a changed MutatingAdmissionPolicy. */
export function validateMutatingPolicyUpdate(
  policy: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy,
): FieldError[] {
  return mutatingPolicyErrors(policy, conditionsChanged(policy, old));
}

function conditionsChanged({ spec }: Policy, { spec: old }: Policy): boolean {
  return !sameValue(spec?.paramKind, old?.paramKind) || !sameValue(spec?.matchConditions, old?.matchConditions);
}

function headErrors(spec: NonNullable<Policy["spec"]>): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.failurePolicy === undefined) errors.push(required("spec.failurePolicy"));
  else if (!FAILURE_POLICIES.includes(spec.failurePolicy))
    errors.push(notSupported("spec.failurePolicy", spec.failurePolicy, FAILURE_POLICIES));
  if (spec.paramKind !== undefined) errors.push(...paramKindErrors(spec.paramKind, "spec.paramKind"));
  if (spec.matchConstraints === undefined) return [...errors, required("spec.matchConstraints")];
  errors.push(...matchResourcesErrors(spec.matchConstraints, "spec.matchConstraints"));
  if ((spec.matchConstraints.resourceRules ?? []).length === 0)
    errors.push(required("spec.matchConstraints.resourceRules"));
  return errors;
}

function validatingPolicyErrors({ spec = {}, metadata }: ValidatingAdmissionPolicy, conditions: boolean): FieldError[] {
  const errors = headErrors(spec);
  const params = spec.paramKind !== undefined;
  if (conditions) errors.push(...conditionErrors(spec.matchConditions, params, "spec.matchConditions"));
  const variables = variableErrors(spec.variables ?? [], params, errors);
  const scope: PolicyScope = {
    params,
    authorizer: true,
    ...((spec.variables ?? []).length === 0 ? {} : { variables }),
  };
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    for (const field of ["validations", "auditAnnotations"])
      errors.push(required(`spec.${field}`, "validations or auditAnnotations must contain at least one item"));
    return errors;
  }
  validations.forEach((validation, index) =>
    errors.push(...validationErrors(validation, scope, `spec.validations[${String(index)}]`)),
  );
  if (auditAnnotations.length > MOST_ANNOTATIONS)
    errors.push(
      invalid(
        "spec.auditAnnotations",
        auditAnnotations.map((each) => ({ Key: each.key, ValueExpression: each.valueExpression })),
        `must not have more than ${String(MOST_ANNOTATIONS)} auditAnnotations`,
      ),
    );
  const keys = new Set<string>();
  auditAnnotations.forEach((annotation, index) => {
    const at = `spec.auditAnnotations[${String(index)}]`;
    errors.push(...annotationErrors(annotation, metadata?.name ?? "", scope, at));
    if (keys.has(annotation.key)) errors.push(duplicate(`${at}.key`, annotation.key));
    keys.add(annotation.key);
  });
  return errors;
}

function mutatingPolicyErrors({ spec = {} }: MutatingAdmissionPolicy, conditions: boolean): FieldError[] {
  const errors = headErrors(spec);
  const params = spec.paramKind !== undefined;
  errors.push(...operationErrors(spec.matchConstraints, "spec.matchConstraints"));
  if (conditions) errors.push(...conditionErrors(spec.matchConditions, params, "spec.matchConditions"));
  const scope: PolicyScope = {
    params,
    authorizer: true,
    variables: variableErrors(spec.variables ?? [], params, errors),
    patches: true,
  };
  const { mutations = [], reinvocationPolicy = "" } = spec;
  if (mutations.length === 0) errors.push(required("spec.mutations", "mutations must contain at least one item"));
  mutations.forEach((mutation, index) =>
    errors.push(...mutationErrors(mutation, scope, `spec.mutations[${String(index)}]`)),
  );
  if (reinvocationPolicy === "") errors.push(required("spec.reinvocationPolicy"));
  else if (!REINVOCATIONS.includes(reinvocationPolicy))
    errors.push(notSupported("spec.reinvocationPolicy", reinvocationPolicy, REINVOCATIONS));
  return errors;
}

function operationErrors(
  match: { readonly resourceRules?: readonly { readonly operations?: readonly string[] }[] } | undefined,
  at: string,
): FieldError[] {
  return (match?.resourceRules ?? []).flatMap((rule) =>
    (rule.operations ?? [])
      .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
      .map((operation) => notSupported(`${at}.resourceRules.operations`, operation, MUTATING_OPERATIONS)),
  );
}

function paramKindErrors({ apiVersion = "", kind = "" }: ParamKind, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 || apiVersion === "/" ? "" : apiVersion.slice(0, slash);
  const version = apiVersion === "/" ? "" : apiVersion.slice(slash + 1);
  const lower = nameErrors(kind.toLowerCase(), "label1035");
  if (apiVersion === "") errors.push(required(`${at}.apiVersion`));
  else if (apiVersion.split("/").length > 2)
    errors.push(invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const wrongGroup = group === "" ? [] : nameErrors(group, "subdomain");
    if (wrongGroup.length > 0) errors.push(invalid(`${at}.apiVersion`, group, wrongGroup.join(",")));
    const wrongVersion = nameErrors(version, "label1035");
    if (version === "") errors.push(invalid(`${at}.apiVersion`, apiVersion, "version must be specified"));
    else if (wrongVersion.length > 0) errors.push(invalid(`${at}.apiVersion`, version, wrongVersion.join(",")));
  }
  if (kind === "") errors.push(required(`${at}.kind`));
  else if (lower.length > 0)
    errors.push(invalid(`${at}.kind`, kind, `may have mixed case, but should otherwise match: ${lower.join(",")}`));
  return errors;
}

/** The types of a policy's variables; what is wrong with them goes to `errors`. */
function variableErrors(
  variables: readonly Variable[],
  params: boolean,
  errors: FieldError[],
): Record<string, CelStaticType> {
  const types: Record<string, CelStaticType> = {};
  variables.forEach(({ name, expression }, index) => {
    const at = `spec.variables[${String(index)}]`;
    if (name.trim() === "") errors.push(required(`${at}.name`, "name is not specified"));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || RESERVED.has(name))
      errors.push(invalid(`${at}.name`, name, "must be a valid CEL identifier"));
    if (expression.trim() === "") {
      errors.push(required(`${at}.expression`, "expression is not specified"));
      return;
    }
    try {
      types[name] = policyVariableType(
        compilePolicyCel(expression, { params, authorizer: true, variables: types }).type,
      );
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      errors.push(invalid(`${at}.expression`, expression, error.message));
      types[name] = dynType;
    }
  });
  return types;
}

function validationErrors(
  { expression, message = "", messageExpression = "", reason }: Validation,
  scope: PolicyScope,
  at: string,
): FieldError[] {
  const errors =
    expression.trim() === ""
      ? [required(`${at}.expression`, "expression is not specified")]
      : compileErrors(`${at}.expression`, expression, scope, policyResults.condition);
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(invalid(`${at}.messageExpression`, messageExpression, "must be non-empty if specified"));
  else if (messageExpression !== "")
    errors.push(
      ...compileErrors(
        `${at}.messageExpression`,
        messageExpression,
        { ...scope, authorizer: false },
        policyResults.message,
      ),
    );
  if (message !== "" && message.trim() === "")
    errors.push(invalid(`${at}.message`, message, "must be non-empty if specified"));
  else if (/[\r\n]/.test(message.trim()))
    errors.push(invalid(`${at}.message`, message, "must not contain line breaks"));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, REASONS));
  return errors;
}

function compileErrors(field: string, expression: string, scope: PolicyScope, results: PolicyResults): FieldError[] {
  return expressionErrors(field, expression, () => compilePolicyCel(expression, scope, results));
}

function annotationErrors(
  { key, valueExpression }: AuditAnnotation,
  name: string,
  scope: PolicyScope,
  at: string,
): FieldError[] {
  const errors =
    name === ""
      ? [invalid(`${at}.key`, key, "requires metadata.name be non-empty")]
      : qualifiedName(`${at}.key`, `${name}/${key}`);
  const trimmed = valueExpression.trim();
  if (trimmed === "") return [...errors, required(`${at}.valueExpression`, "valueExpression is not specified")];
  if (new TextEncoder().encode(trimmed).length > LONGEST_ANNOTATION)
    return [
      ...errors,
      required(`${at}.valueExpression`, `must not exceed ${String(LONGEST_ANNOTATION)} bytes in length`),
    ];
  return [
    ...errors,
    ...expressionErrors(`${at}.valueExpression`, valueExpression, () =>
      compilePolicyCel(trimmed, scope, policyResults.auditAnnotation),
    ),
  ];
}

function mutationErrors(
  { patchType, jsonPatch, applyConfiguration }: Mutation,
  scope: PolicyScope,
  at: string,
): FieldError[] {
  const type = patchType as string;
  if (type === "") return [required(`${at}.patchType`)];
  if (!PATCHES.includes(type)) return [notSupported(`${at}.patchType`, type, PATCHES)];
  const patch = type === "JSONPatch";
  const [field, other] = patch
    ? (["jsonPatch", "applyConfiguration"] as const)
    : (["applyConfiguration", "jsonPatch"] as const);
  const [given, extra] = patch ? [jsonPatch, applyConfiguration] : [applyConfiguration, jsonPatch];
  const errors: FieldError[] = [];
  const expression = (given?.expression ?? "").trim();
  if (given === undefined) errors.push(required(`${at}.${field}`, `must be specified when patchType is ${type}`));
  else if (expression === "") errors.push(required(`${at}.${field}.expression`));
  else
    errors.push(
      ...compileErrors(
        `${at}.${field}.expression`,
        expression,
        scope,
        patch ? policyResults.jsonPatch : policyResults.applyConfiguration,
      ),
    );
  if (extra !== undefined)
    errors.push(invalid(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`));
  return errors;
}

/** Errors of a ValidatingAdmissionPolicyBinding. */
export function validateValidatingPolicyBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  return [...bindingErrors(spec ?? {}), ...actionErrors(spec?.validationActions ?? [], "spec.validationActions")];
}

/** Errors of a MutatingAdmissionPolicyBinding. */
export function validateMutatingPolicyBinding({ spec = {} }: MutatingAdmissionPolicyBinding): FieldError[] {
  return [...bindingErrors(spec), ...operationErrors(spec.matchResources, "spec.matchResources")];
}

function bindingErrors({
  policyName = "",
  paramRef,
  matchResources,
}: NonNullable<MutatingAdmissionPolicyBinding["spec"]>): FieldError[] {
  return [
    ...(policyName === "" ? [required("spec.policyName")] : dnsSubdomain("spec.policyName", policyName)),
    ...(paramRef === undefined ? [] : paramRefErrors(paramRef, "spec.paramRef")),
    ...matchResourcesErrors(matchResources, "spec.matchResources"),
  ];
}

function paramRefErrors({ name = "", selector, parameterNotFoundAction: action }: ParamRef, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    errors.push(...nameErrors(name, "pathSegment").map((detail) => invalid(`${at}.name`, name, detail)));
    if (selector !== undefined) errors.push(forbidden(`${at}.name`, exclusive));
  }
  if (selector !== undefined) {
    errors.push(...selectorErrors(selector, `${at}.selector`));
    if (name !== "") errors.push(forbidden(`${at}.selector`, exclusive));
  }
  if (name === "" && selector === undefined) errors.push(required(at, "one of name or selector must be specified"));
  if (action === undefined || action === "") errors.push(required(`${at}.parameterNotFoundAction`));
  else if (action !== "Deny" && action !== "Allow")
    errors.push(notSupported(`${at}.parameterNotFoundAction`, action, ["Deny", "Allow"]));
  return errors;
}

function actionErrors(actions: readonly string[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${at}[${String(index)}]`, action, ACTIONS));
    if (actions.indexOf(action) < index) errors.push(duplicate(`${at}[${String(index)}]`, action));
  });
  if (actions.includes("Deny") && actions.includes("Warn"))
    errors.push(
      invalid(
        at,
        actions,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  if (actions.length === 0) errors.push(required(at, "at least one validation action is required"));
  return errors;
}
