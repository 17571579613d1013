import type { MutatingAdmissionPolicy, Mutation } from "../../../kinds/admissionregistration/v1.js";
import { type PolicyScope, policyResults } from "../../cel/policy.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { inAllVersions, reinvocationPolicies } from "./match-rules.js";
import {
  compileErrors,
  fillFailurePolicy,
  operationErrors,
  paramKindText,
  policyErrors,
  variableErrors,
} from "./policy-errors.js";

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

function validate(policy: MutatingAdmissionPolicy, old?: MutatingAdmissionPolicy): FieldError[] {
  const { spec = {} } = policy;
  const errors = [...policyErrors(policy, old), ...operationErrors(spec.matchConstraints, "spec.matchConstraints")];
  const params = spec.paramKind !== undefined;
  const variables = variableErrors(spec.variables ?? [], params, errors);
  const scope: PolicyScope = { params, authorizer: true, variables, patches: true };
  return [
    ...errors,
    ...((spec.mutations ?? []).length === 0 ? [required("spec.mutations")] : []),
    ...check.eachItem(spec.mutations, "spec.mutations", (mutation, at) => mutationErrors(mutation, scope, at)),
    ...check.requiredOneOf("spec.reinvocationPolicy", spec.reinvocationPolicy, reinvocationPolicies),
  ];
}

function mutationErrors(mutation: Mutation, scope: PolicyScope, at: string): FieldError[] {
  const type = mutation.patchType as string;
  if (!patchTypes.includes(type))
    return check.requiredText(`${at}.patchType`, type, (field) => check.oneOf(field, type, patchTypes));
  const [field, other] =
    type === "JSONPatch"
      ? (["jsonPatch", "applyConfiguration"] as const)
      : (["applyConfiguration", "jsonPatch"] as const);
  const given = mutation[field];
  return [
    ...(given === undefined
      ? [required(`${at}.${field}`)]
      : check.requiredText(`${at}.${field}.expression`, (given.expression ?? "").trim(), (path, text) =>
          compileErrors(path, text, scope, policyResults[field]),
        )),
    ...(mutation[other] === undefined
      ? []
      : [invalid(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]),
  ];
}

export const mutatingAdmissionPolicy: KindDefinition = defineBuiltin<MutatingAdmissionPolicy>({
  resource: "admissionregistration.k8s.io/mutatingadmissionpolicies",
  requiresVersionOnUpdate: true,
  generation: { counts: "fromOne" },
  metadata: { plainFinalizers: true, checkedAsNew: "everywhere" },
  defaults: inAllVersions("MutatingAdmissionPolicySpec", fillFailurePolicy),
  validate: { create: (policy) => validate(policy), update: validate, checksEnums: true },
  printer: {
    columns: "Mutations:integer,ParamKind,Age",
    cells: ({ spec }, age) => [spec?.mutations?.length ?? 0, paramKindText(spec?.paramKind), age],
  },
});
