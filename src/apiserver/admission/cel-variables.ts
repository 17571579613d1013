import type { AdmissionAttributes, RequestContext } from "../core.js";
import { fromCel, toCel } from "../schema/cel-data.js";
import type { CelValue } from "../schema/cel-values.js";
import { compileCel, evaluateCel } from "../schema/cel.js";
import { namespaceOf } from "./match-rules.js";

/** What expressions of policies and webhooks may name, made when first used. */
export type PolicyVariables = Readonly<Record<string, () => CelValue>>;

/** A named expression that others may use. */
export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

const NAMES = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];

/**
 * The variables of a request's expressions.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function policyVariables(attributes: AdmissionAttributes, { core, user }: RequestContext, params: unknown, named: readonly NamedExpression[]): PolicyVariables {
  const { resource, subresource, namespace, name, operation, object, old, dryRun, options } = attributes;
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const place = { group: resource.group, version: resource.version, resource: resource.resource };
  const request = {
    uid: "", kind, resource: place, subResource: subresource, requestKind: kind, requestResource: place, requestSubResource: subresource, name, namespace, operation,
    userInfo: { username: user.name, uid: user.uid, groups: user.groups, extra: user.extra }, dryRun, options: options ?? null,
  };
  const variables: Record<string, () => CelValue> = {
    object: () => toCel(object ?? null),
    oldObject: () => toCel(old ?? null),
    request: () => toCel(request),
    params: () => toCel(params ?? null),
    namespaceObject: () => toCel(namespaceOf(core, attributes) ?? null),
    variables: () => {
      // In order: each may use those before it.
      const values: Record<string, unknown> = {};
      for (const each of named) values[each.name] = fromCel(evaluate(each.expression, { ...variables, variables: () => toCel(values) }));
      return toCel(values);
    },
  };
  return variables;
}

/** The value of an expression. Throws what is wrong with it. */
export function evaluate(expression: string, variables: PolicyVariables): CelValue {
  return evaluateCel(compileCel(expression, NAMES), variables).value;
}
