import type {
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from "../../../kinds/admissionregistration/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { selectorErrors } from "../shared/selectors.js";
import { matchResourcesErrors } from "./match-rules.js";
import { operationErrors } from "./policy-errors.js";

type Spec = NonNullable<MutatingAdmissionPolicyBinding["spec"]>;

/** Binding of either kind. */
interface Binding {
  readonly spec?:
    | (Spec & Partial<Pick<NonNullable<ValidatingAdmissionPolicyBinding["spec"]>, "validationActions">>)
    | undefined;
}

const knownActions = ["Audit", "Deny", "Warn"];

function bindingErrors({ spec = {} }: Binding): FieldError[] {
  const { policyName, paramRef, matchResources } = spec;
  return [
    ...check.requiredText("spec.policyName", policyName, check.dnsSubdomain),
    ...(paramRef === undefined ? [] : paramRefErrors(paramRef, "spec.paramRef")),
    ...matchResourcesErrors(matchResources, "spec.matchResources"),
  ];
}

function paramRefErrors({ name = "", selector, parameterNotFoundAction }: ParamRef, at: string): FieldError[] {
  const both = name !== "" && selector !== undefined;
  return [
    ...check.optionalText(`${at}.name`, name, check.pathSegment),
    ...(selector === undefined ? [] : selectorErrors(selector, `${at}.selector`)),
    ...(both ? ["name", "selector"] : []).map((key) =>
      forbidden(`${at}.${key}`, "name and selector are mutually exclusive"),
    ),
    ...(name === "" && selector === undefined ? [required(at, "one of name or selector must be specified")] : []),
    ...check.requiredOneOf(`${at}.parameterNotFoundAction`, parameterNotFoundAction, ["Deny", "Allow"]),
  ];
}

function actionErrors(actions: readonly string[], at: string): FieldError[] {
  return [
    ...check.eachItem(actions, at, (action, path) => check.oneOf(path, action, knownActions)),
    ...check.duplicates(actions, (index) => `${at}[${String(index)}]`),
    ...(actions.includes("Deny") && actions.includes("Warn")
      ? [invalid(at, actions, "must not contain both Deny and Warn")]
      : []),
    ...(actions.length === 0 ? [required(at)] : []),
  ];
}

/** Formats a selector like Go's struct, which is what kube-apiserver's table shows. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key] ?? ""},`)
    .join("");
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

/** Formats a parameter reference for tables. */
function paramRefText({ name = "", namespace = "", selector }: ParamRef = {}): string {
  if (name !== "") return `${namespace || "*"}/${name}`;
  return selector === undefined ? "<unset>" : goSelector(selector);
}

const shared: Omit<KindDefinition<Binding>, "resource" | "validate"> = {
  requiresVersionOnUpdate: true,
  generation: { counts: "fromOne" },
  metadata: { plainFinalizers: true, checkedAsNew: "everywhere" },
  printer: {
    columns: "PolicyName,ParamRef,Age",
    cells: ({ spec }, age) => [spec?.policyName ?? "", paramRefText(spec?.paramRef), age],
  },
};

export const validatingAdmissionPolicyBinding: KindDefinition = defineBuiltin<Binding>({
  ...shared,
  resource: "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  defaults: {
    // Later versions have no default.
    "io.k8s.api.admissionregistration.v1alpha1.ParamRef": (reference: {
      parameterNotFoundAction?: string | undefined;
    }) => {
      reference.parameterNotFoundAction ??= "Deny";
    },
  },
  validate: {
    create: (binding) => [
      ...bindingErrors(binding),
      ...actionErrors(binding.spec?.validationActions ?? [], "spec.validationActions"),
    ],
    checksEnums: true,
  },
});

export const mutatingAdmissionPolicyBinding: KindDefinition = defineBuiltin<Binding>({
  ...shared,
  resource: "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  validate: {
    create: (binding) => [
      ...bindingErrors(binding),
      ...operationErrors(binding.spec?.matchResources, "spec.matchResources"),
    ],
    checksEnums: true,
  },
});
