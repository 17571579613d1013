import { utf8Encode } from "../../../internal/bytes.js";
import type {
  AuditAnnotation,
  MatchResources,
  ValidatingAdmissionPolicy,
  Validation,
} from "../../../kinds/admissionregistration/v1.js";
import { compilePolicyCel, type PolicyScope, policyResults } from "../../cel/policy.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { allMetadata } from "../shared/metadata-rules.js";
import { conditionsErrors } from "../shared/selectors.js";
import { expressionErrors, fillScope, inAllVersions } from "./match-rules.js";
import { compileErrors, fillFailurePolicy, paramKindText, policyErrors, variableErrors } from "./policy-errors.js";

const denialReasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const mostAnnotations = 20;
const mostAnnotation = 5 * 1024;

function validate(policy: ValidatingAdmissionPolicy, old?: ValidatingAdmissionPolicy): FieldError[] {
  const { spec = {}, metadata } = policy;
  const { validations = [], auditAnnotations: annotations = [], variables = [] } = spec;
  const errors = policyErrors(policy, old);
  const params = spec.paramKind !== undefined;
  const types = variableErrors(variables, params, errors);
  const scope: PolicyScope = { params, authorizer: true, ...(variables.length === 0 ? {} : { variables: types }) };
  if (validations.length === 0 && annotations.length === 0)
    return [...errors, required("spec.validations"), required("spec.auditAnnotations")];
  const at = "spec.auditAnnotations";
  const name = metadata?.name ?? "";
  return [
    ...errors,
    ...check.eachItem(validations, "spec.validations", (validation, path) => validationErrors(validation, scope, path)),
    ...(annotations.length > mostAnnotations
      ? [invalid(at, annotations, `must not have more than ${String(mostAnnotations)} items`)]
      : []),
    ...check.eachItem(annotations, at, (annotation, path) => annotationErrors(annotation, name, scope, path)),
    ...check.duplicates(
      annotations.map(({ key }) => key),
      (index) => `${at}[${String(index)}].key`,
    ),
  ];
}

function validationErrors(validation: Validation, scope: PolicyScope, at: string): FieldError[] {
  const { expression, message = "", messageExpression, reason } = validation;
  return [
    ...(expression.trim() === ""
      ? [required(`${at}.expression`)]
      : compileErrors(`${at}.expression`, expression, scope, policyResults.condition)),
    ...check.optionalText(`${at}.messageExpression`, messageExpression, (field, text) =>
      text.trim() === ""
        ? [invalid(field, text, "must be non-empty if specified")]
        : compileErrors(field, text, { ...scope, authorizer: false }, policyResults.message),
    ),
    ...((message !== "" && message.trim() === "") || /[\r\n]/.test(message.trim())
      ? [invalid(`${at}.message`, message, "must be a non-empty line if specified")]
      : []),
    ...check.optionalOneOf(`${at}.reason`, reason, denialReasons),
  ];
}

function annotationErrors(annotation: AuditAnnotation, name: string, scope: PolicyScope, at: string): FieldError[] {
  const { key, valueExpression } = annotation;
  return [
    ...(name === ""
      ? [invalid(`${at}.key`, key, "requires metadata.name be non-empty")]
      : check.qualifiedName(`${at}.key`, `${name}/${key}`)),
    ...check.requiredText(`${at}.valueExpression`, valueExpression.trim(), (field, text) =>
      utf8Encode(text).length > mostAnnotation
        ? [required(field, `must not exceed ${String(mostAnnotation)} bytes in length`)]
        : expressionErrors(field, valueExpression, () => compilePolicyCel(text, scope, policyResults.auditAnnotation)),
    ),
  ];
}

export const validatingAdmissionPolicy: KindDefinition = defineBuiltin<ValidatingAdmissionPolicy>({
  resource: "admissionregistration.k8s.io/validatingadmissionpolicies",
  requiresVersionOnUpdate: true,
  generation: { counts: "fromOne" },
  metadata: { plainFinalizers: true, checkedAsNew: "everywhere", keptByStatus: allMetadata },
  defaults: {
    ...inAllVersions("ValidatingAdmissionPolicySpec", fillFailurePolicy),
    ...inAllVersions("NamedRuleWithOperations", fillScope),
    ...inAllVersions("RuleWithOperations", fillScope),
    ...inAllVersions("MatchResources", (match: MatchResources) => {
      match.matchPolicy ??= "Equivalent";
      match.namespaceSelector ??= {};
      match.objectSelector ??= {};
    }),
  },
  prepare: { create: dropStatus },
  validate: {
    create: (policy) => validate(policy),
    update: validate,
    status: ({ status }) => [
      ...check.eachItem(
        status?.typeChecking?.expressionWarnings,
        "status.typeChecking.expressionWarnings",
        ({ fieldRef, warning }, at) => [
          ...check.requiredText(`${at}.warning`, warning),
          ...check.requiredText(`${at}.fieldRef`, fieldRef.trim()),
        ],
      ),
      ...conditionsErrors(status?.conditions ?? [], "status.conditions"),
    ],
    checksEnums: true,
  },
  printer: {
    columns: "Validations:integer,ParamKind,Age",
    cells: ({ spec }, age) => [spec?.validations?.length ?? 0, paramKindText(spec?.paramKind), age],
  },
});
