import type {
  MutatingAdmissionPolicy,
  ParamKind,
  ValidatingAdmissionPolicy,
  Variable,
} from "../../../kinds/admissionregistration/v1.js";
import { CelCompileError } from "../../cel/checker/check.js";
import { type CelStaticType, dynType } from "../../cel/checker/types.js";
import { compilePolicyCel, type PolicyResults, type PolicyScope, policyVariableType } from "../../cel/policy.js";
import { reservedWords } from "../../cel/values/reserved-words.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import { conditionErrors, expressionErrors, failurePolicies, matchResourcesErrors } from "./match-rules.js";

/** Operations that a mutating policy can match. */
const mutatingOperations: readonly string[] = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Policy of either kind. */
export type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

/** Validates the fields that both kinds of policies have. */
export function policyErrors({ spec = {} }: Policy, old: Policy | undefined): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints: match } = spec;
  const conditionsChanged =
    old === undefined ||
    !check.sameValue(paramKind, old.spec?.paramKind) ||
    !check.sameValue(spec.matchConditions, old.spec?.matchConditions);
  return [
    ...(failurePolicy === undefined
      ? [required("spec.failurePolicy")]
      : check.oneOf("spec.failurePolicy", failurePolicy, failurePolicies)),
    ...(paramKind === undefined ? [] : paramKindErrors(paramKind, "spec.paramKind")),
    ...(match === undefined
      ? [required("spec.matchConstraints")]
      : matchResourcesErrors(match, "spec.matchConstraints")),
    ...(match !== undefined && (match.resourceRules ?? []).length === 0
      ? [required("spec.matchConstraints.resourceRules")]
      : []),
    ...(conditionsChanged
      ? conditionErrors(spec.matchConditions, paramKind !== undefined, "spec.matchConditions")
      : []),
  ];
}

/** Returns an error for each operation that a mutating policy can't match. */
export function operationErrors(
  match:
    | { readonly resourceRules?: readonly { readonly operations?: readonly string[] | undefined }[] | undefined }
    | undefined,
  at: string,
): FieldError[] {
  return (match?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    operations.flatMap((operation) => check.oneOf(`${at}.resourceRules.operations`, operation, mutatingOperations)),
  );
}

function paramKindErrors({ apiVersion = "", kind = "" }: ParamKind, at: string): FieldError[] {
  return [
    ...check.requiredText(`${at}.apiVersion`, apiVersion, apiVersionErrors),
    ...check.requiredText(`${at}.kind`, kind, (field, value) =>
      nameErrors(value.toLowerCase(), "label1035").length === 0
        ? []
        : [invalid(field, value, "may have mixed case, but should otherwise be a DNS-1035 label")],
    ),
  ];
}

/** Validates group and version separately. */
function apiVersionErrors(field: string, apiVersion: string): FieldError[] {
  const parts = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (parts.length > 2) return [invalid(field, apiVersion, "must be 'version' or 'group/version'")];
  const [version = "", group = ""] = parts.reverse();
  return [
    ...(group === "" || nameErrors(group, "subdomain").length === 0
      ? []
      : [invalid(field, group, "the group must be a DNS subdomain")]),
    ...(nameErrors(version, "label1035").length === 0
      ? []
      : [invalid(field, version, "the version must be a DNS-1035 label")]),
  ];
}

/** Returns the types of a policy's variables, and adds their errors to `errors`. */
export function variableErrors(
  variables: readonly Variable[],
  params: boolean,
  errors: FieldError[],
): Record<string, CelStaticType> {
  const types: Record<string, CelStaticType> = {};
  variables.forEach(({ name, expression }, index) => {
    const at = `spec.variables[${String(index)}]`;
    if (name.trim() === "") errors.push(required(`${at}.name`, "must be specified"));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reservedWords.has(name))
      errors.push(invalid(`${at}.name`, name, "must be a valid CEL identifier"));
    if (expression.trim() === "") {
      errors.push(required(`${at}.expression`, "must be specified"));
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

/** Returns an error if a policy's expression doesn't compile. */
export function compileErrors(
  field: string,
  expression: string,
  scope: PolicyScope,
  results: PolicyResults,
): FieldError[] {
  return expressionErrors(field, expression, () => compilePolicyCel(expression, scope, results));
}

/** Defaults the failure policy. */
export function fillFailurePolicy(spec: { failurePolicy?: string | undefined }): void {
  spec.failurePolicy ??= "Fail";
}

/** Formats a parameter kind for tables. */
export function paramKindText(kind: ParamKind | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}
