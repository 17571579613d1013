import { CelError } from "../cel/values/values.js";
import { failure } from "../errors/status.js";
import { goJsonText } from "../internal/go-text.js";
import type { ApiObject } from "../objects/api-object.js";
import { labelKeyErrors } from "../objects/selectors.js";
import { rerunUntilDecided } from "../rbac/decisions.js";
import type { AdmissionAttributes, RegistryContext } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";
import type { PolicyRun, VersionedRequest } from "./cel-variables.js";
import { conditionsHold, evaluate, policyRun } from "./cel-variables.js";
import { policyFault } from "./policy-error.js";
import type { BindingSpec, PolicySpec } from "./policy-matching.js";
import { inVersionOf, matchedResource, paramResource, paramsOf, unknownParamKind } from "./policy-matching.js";
import { forbiddenBy } from "./refusal.js";

const admissionGroup = "admissionregistration.k8s.io";
/** Maximum length of a message from `messageExpression`, in bytes. */
const longestMessage = 5 * 1024;
/** Maximum length of an audit annotation's value, in bytes. */
const longestAnnotation = 10 * 1024;

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

interface ValidatingBinding extends BindingSpec {
  readonly validationActions?: readonly string[];
}

/** A failed validation. */
interface Denial {
  readonly message: string;
  readonly reason: string;
  /** Index of the validation in the policy. */
  readonly index: number;
}

/** Result of a policy for one set of parameters. */
interface Outcome {
  readonly denials: readonly Denial[];
  /** Audit annotations. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Errors of audit annotations. They deny the request regardless of the binding's actions. */
  readonly failures: readonly string[];
}

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/** Runs the stored ValidatingAdmissionPolicies on a request. */
export async function runValidatingPolicies(attributes: AdmissionAttributes, context: RegistryContext): Promise<void> {
  const policies = listStored(context.services, `${admissionGroup}/validatingadmissionpolicies`);
  const denied: { message: string; reason: string }[] = [];
  const bindings = listStored(context.services, `${admissionGroup}/validatingadmissionpolicybindings`);
  for (const policy of policies) {
    const bound = bindings.filter((binding) => (binding["spec"] as BindingSpec).policyName === policy.metadata?.name);
    if (bound.length > 0) await runPolicy({ policy, bindings: bound, attributes, context, denied });
  }
  if (denied.length > 0) throw refuse(attributes, denied[0]!);
}

async function runPolicy({
  policy,
  bindings,
  attributes,
  context,
  denied,
}: {
  policy: ApiObject;
  bindings: readonly ApiObject[];
  attributes: AdmissionAttributes;
  context: RegistryContext;
  denied: { message: string; reason: string }[];
}): Promise<void> {
  const { services } = context;
  const spec = policy["spec"] as ValidatingSpec;
  const name = policy.metadata?.name ?? "";
  const target = matchedResource(spec.matchConstraints ?? {}, attributes, services);
  if (target === undefined) return;
  const misconfigured = (by: string, message: string): void => {
    if (spec.failurePolicy !== "Ignore")
      denied.push({
        message: `ValidatingAdmissionPolicy '${name}'${by} denied request: ${message}`,
        reason: "Invalid",
      });
  };
  if (spec.paramKind !== undefined && paramResource(spec.paramKind, services) === undefined) {
    misconfigured("", unknownParamKind(spec.paramKind));
    return;
  }
  const collected = new Map<string, string[]>();
  let request: VersionedRequest | undefined;
  for (const binding of bindings) {
    const rules = binding["spec"] as BindingSpec;
    if (rules.matchResources !== undefined && matchedResource(rules.matchResources, attributes, services) === undefined)
      continue;
    const by = ` with binding '${binding.metadata?.name ?? ""}'`;
    let params: (ApiObject | undefined)[];
    try {
      params = await paramsOf(spec.paramKind, rules.paramRef, attributes.namespace, services);
    } catch (error) {
      misconfigured(by, `failed to configure binding: ${policyFault(error)}`);
      continue;
    }
    request ??= await inVersionOf(target, attributes);
    for (const each of params) {
      const run = policyRun(attributes, context, request, {
        params: each,
        hasParams: spec.paramKind !== undefined,
        variables: spec.variables ?? [],
      });
      const outcome = await rerunUntilDecided(() => evaluatePolicy(spec, run));
      for (const denial of outcome.denials) applyActions({ denial, policy: name, binding, context, denied });
      for (const message of outcome.failures)
        denied.push({
          message: `ValidatingAdmissionPolicy '${name}'${by} denied request: ${message}`,
          reason: "Invalid",
        });
      for (const [key, value] of outcome.annotations) {
        const values = collected.get(key) ?? [];
        if (!values.includes(value)) collected.set(key, [...values, value]);
      }
    }
  }
  for (const [key, values] of collected)
    if (labelKeyErrors(`${name}/${key}`).length === 0) context.audit?.annotate(`${name}/${key}`, values.join(", "));
}

/** Applies a binding's actions to a failed validation. */
function applyActions({
  denial,
  policy,
  binding,
  context,
  denied,
}: {
  denial: Denial;
  policy: string;
  binding: ApiObject;
  context: RegistryContext;
  denied: { message: string; reason: string }[];
}): void {
  const name = binding.metadata?.name ?? "";
  const actions = (binding["spec"] as ValidatingBinding).validationActions ?? [];
  for (const action of actions) {
    if (action === "Deny")
      denied.push({
        message: `ValidatingAdmissionPolicy '${policy}' with binding '${name}' denied request: ${denial.message}`,
        reason: denial.reason,
      });
    else if (action === "Warn")
      context.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${denial.message}`,
      );
    else
      context.audit?.annotate(
        "validation.policy.admission.k8s.io/validation_failure",
        goJsonText([
          { message: denial.message, policy, binding: name, expressionIndex: denial.index, validationActions: actions },
        ]),
      );
  }
}

/** Evaluates a policy for a request. */
function evaluatePolicy(policy: ValidatingSpec, run: PolicyRun): Outcome {
  const lenient = policy.failurePolicy === "Ignore";
  const denials: Denial[] = [];
  const failed = (message: string, index: number): void => {
    if (!lenient) denials.push({ message, reason: "Invalid", index });
  };
  const matched = conditionsHold(policy.matchConditions ?? [], run);
  if (matched.error !== undefined) failed(matched.error, 0);
  if (!matched.matches) return { denials, annotations: [], failures: [] };
  (policy.validations ?? []).forEach((validation, index) => {
    try {
      if (evaluate(validation.expression, run) === true) return;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failed(error.message, index);
      return;
    }
    const message =
      messageOf(validation, run) ||
      (validation.message ?? "").trim() ||
      `failed expression: ${validation.expression.trim()}`;
    denials.push({ message, reason: validation.reason ?? "Invalid", index });
  });
  return { denials, ...annotate(policy, run, lenient) };
}

function annotate(
  { auditAnnotations = [] }: ValidatingSpec,
  run: PolicyRun,
  lenient: boolean,
): Pick<Outcome, "annotations" | "failures"> {
  const annotations: [string, string][] = [];
  const failures: string[] = [];
  for (const { key, valueExpression } of auditAnnotations) {
    try {
      const value = evaluate(valueExpression, run);
      const text = typeof value === "string" ? value.trim() : "";
      if (text !== "") annotations.push([key, cut(text, longestAnnotation)]);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      if (!lenient) failures.push(error.message);
    }
  }
  return { annotations, failures };
}

function cut(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= most ? text : new TextDecoder().decode(bytes.subarray(0, most));
}

/** Evaluates a message expression; returns `""` if it fails or its result can't be shown. */
function messageOf({ messageExpression }: Validation, run: PolicyRun): string {
  if ((messageExpression ?? "") === "") return "";
  try {
    const value = evaluate(messageExpression!, { ...run, scope: { ...run.scope, authorizer: false } });
    const text = typeof value === "string" ? value.trim() : "";
    return new TextEncoder().encode(text).length > longestMessage || text.includes("\n") ? "" : text;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    // The static message replaces that of a failing expression.
    return "";
  }
}

function refuse(attributes: AdmissionAttributes, { message, reason }: { message: string; reason: string }): Error {
  const { text, details } = forbiddenBy(attributes, message);
  return failure(codes[reason] ?? 422, reason, text, { ...details, causes: [{ message }] });
}
