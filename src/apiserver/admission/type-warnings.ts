import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from "../../kinds/admissionregistration/v1.js";
import { CelCompileError } from "../cel/checker/check.js";
import { type CelStaticType, dynType } from "../cel/checker/types.js";
import { compilePolicyCel, type PolicyScope, policyVariableType } from "../cel/policy.js";
import type { ServedResource } from "../registry/resources.js";
import type { RegistryServices } from "../registry/services.js";
import { typeOfKind } from "./kind-type.js";
import { paramResource } from "./policy-matching.js";

/** Maximum number of kinds that one rule names. */
const mostKinds = 10;

/**
 * Checks the validations of a policy against the types of the kinds that it matches. Rules with wildcards and for
 * subresources aren't checked.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
export function typeWarnings(spec: ValidatingAdmissionPolicySpec, services: RegistryServices): ExpressionWarning[] {
  const params = spec.paramKind && paramResource(spec.paramKind, services);
  const paramsType = params && typeOfKind(params);
  const kinds = matchedKinds(spec, services).flatMap((kind) => {
    const object = typeOfKind(kind);
    return object === undefined ? [] : [{ kind, scope: scopeOf(spec, object, paramsType) }];
  });
  const warningOf = (expression: string): string =>
    kinds
      .flatMap(({ kind: { group, version, kind }, scope }) => {
        const { problem } = check(expression, scope);
        return problem === undefined ? [] : [`${group}/${version}, Kind=${kind}: ${problem}\n`];
      })
      .join("\n");
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = "" }, at) =>
    Object.entries({ expression, messageExpression })
      .map(([field, text]) => ({
        fieldRef: `spec.validations[${String(at)}].${field}`,
        warning: text === "" ? "" : warningOf(text),
      }))
      .filter(({ warning }) => warning !== ""),
  );
}

/** Returns the type of an expression, or why it doesn't compile. */
function check(expression: string, scope: PolicyScope): { type: CelStaticType; problem?: string } {
  try {
    return { type: policyVariableType(compilePolicyCel(expression, scope).type) };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return { type: dynType, problem: error.cause instanceof Error ? error.cause.message : error.message };
  }
}

function scopeOf(
  { variables: named = [], paramKind }: ValidatingAdmissionPolicySpec,
  object: CelStaticType,
  paramsType: CelStaticType | undefined,
): PolicyScope {
  const variables: Record<string, CelStaticType> = {};
  const scope: PolicyScope = { params: paramKind !== undefined, authorizer: true, object, paramsType, variables };
  // A variable can use the ones before it.
  for (const { name, expression } of named) variables[name] = check(expression, scope).type;
  return scope;
}

/** Returns the kinds that the rules of a policy name, ordered by group, version and kind. */
function matchedKinds(
  { matchConstraints }: ValidatingAdmissionPolicySpec,
  { resources }: RegistryServices,
): ServedResource[] {
  const found = new Map<string, ServedResource>();
  for (const { apiGroups = [], apiVersions = [], resources: names = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((text) => text.includes("*"))) continue;
    const groups = new Set(apiGroups);
    const versions = new Set(apiVersions);
    const plurals = new Set(names);
    const served = [...resources.all()].filter(
      ({ version, resource }) => versions.has(version) && plurals.has(resource),
    );
    // The core group's name is empty and stands for any group.
    const listed = [
      ...(groups.has("") ? sorted(served, ({ version, resource }) => [version, resource]) : []),
      ...sorted(
        served.filter(({ group }) => group !== "" && groups.has(group)),
        ({ group, version, resource }) => [group, version, resource],
      ),
    ];
    for (const kind of listed.slice(0, mostKinds)) found.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
    if (listed.length >= mostKinds) break;
  }
  return sorted([...found.values()], ({ group, version, kind }) => [group, version, kind]);
}

function sorted(kinds: readonly ServedResource[], partsOf: (kind: ServedResource) => string[]): ServedResource[] {
  const keyOf = (kind: ServedResource): string => partsOf(kind).join("\0");
  return [...kinds].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
