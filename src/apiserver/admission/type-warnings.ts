import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from "../../kinds/admissionregistration/v1.js";
import { CelCompileError } from "../cel/checker/check.js";
import { type CelStaticType, dynType } from "../cel/checker/types.js";
import { compilePolicyCel, type PolicyScope, policyVariableType } from "../cel/policy.js";
import type { ServedResource } from "../registry/resources.js";
import type { RegistryServices } from "../registry/services.js";
import { typeOfKind } from "./kind-type.js";
import { paramResource } from "./policy-matching.js";

/** Maximum number of kinds that are checked. */
const mostKinds = 10;
/** Characters of all warnings after which the check ends: the object must keep room for the policy. */
const longestWarnings = 256 * 1024;

/**
 * Checks the validations of a policy against the types of the kinds that it matches. Rules with wildcards and for
 * subresources aren't checked. Awaits `pause` between expressions.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
export async function typeWarnings(
  spec: ValidatingAdmissionPolicySpec,
  services: RegistryServices,
  pause: () => Promise<void> | undefined,
): Promise<ExpressionWarning[]> {
  const params = spec.paramKind && paramResource(spec.paramKind, services);
  const paramsType = params && typeOfKind(params);
  const kinds: KindScope[] = [];
  for (const kind of matchedKinds(spec, services)) {
    const object = typeOfKind(kind);
    if (object !== undefined) kinds.push({ kind, scope: await scopeOf(spec, { object, paramsType }, pause) });
  }
  const warnings: ExpressionWarning[] = [];
  let room = longestWarnings;
  for (const [at, { expression, messageExpression = "" }] of (spec.validations ?? []).entries()) {
    for (const [field, text] of Object.entries({ expression, messageExpression })) {
      await pause();
      const warning = text === "" ? "" : warningOf(text, kinds);
      room -= warning.length;
      if (room < 0) return warnings;
      if (warning !== "") warnings.push({ fieldRef: `spec.validations[${String(at)}].${field}`, warning });
    }
  }
  return warnings;
}

/** A matched kind with the names that expressions can use for it. */
interface KindScope {
  readonly kind: ServedResource;
  readonly scope: PolicyScope;
}

/** Returns the problems of an expression, one per kind, as text; empty without problems. */
function warningOf(expression: string, kinds: readonly KindScope[]): string {
  return kinds
    .flatMap(({ kind: { group, version, kind }, scope }) => {
      const { problem } = check(expression, scope);
      return problem === undefined ? [] : [`${group}/${version}, Kind=${kind}: ${problem}\n`];
    })
    .join("\n");
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

async function scopeOf(
  { variables: named = [], paramKind }: ValidatingAdmissionPolicySpec,
  types: Pick<PolicyScope, "object" | "paramsType">,
  pause: () => Promise<void> | undefined,
): Promise<PolicyScope> {
  const variables: Record<string, CelStaticType> = {};
  const scope: PolicyScope = { params: paramKind !== undefined, authorizer: true, ...types, variables };
  // A variable can use the ones before it.
  for (const { name, expression } of named) {
    await pause();
    variables[name] = check(expression, scope).type;
  }
  return scope;
}

/** Returns the kinds that the rules of a policy name, at most ten, ordered by group, version and kind. */
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
    if (Math.max(listed.length, found.size) >= mostKinds) break;
  }
  return sorted([...found.values()].slice(0, mostKinds), ({ group, version, kind }) => [group, version, kind]);
}

function sorted(kinds: readonly ServedResource[], partsOf: (kind: ServedResource) => string[]): ServedResource[] {
  const keyOf = (kind: ServedResource): string => partsOf(kind).join("\0");
  return [...kinds].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
