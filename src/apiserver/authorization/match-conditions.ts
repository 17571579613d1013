import { ConfigError } from "../../errors/errors.js";
import type { CelProgram } from "../cel/cel.js";
import { compileCel, evaluateCel } from "../cel/cel.js";
import { CelCompileError } from "../cel/checker/check.js";
import type { CelStaticType } from "../cel/checker/types.js";
import { objectType } from "../cel/checker/types.js";
import { toCel } from "../cel/values/data.js";
import { CelError } from "../cel/values/values.js";
import type { ConditionsHold, MatchCondition } from "./webhook.js";

const text: CelStaticType = { kind: "string" };
const texts: CelStaticType = { kind: "list", item: text };

function selectorType(name: string): CelStaticType {
  const requirement = objectType(`kubernetes.${name}Requirement`, { key: text, operator: text, values: texts });
  return objectType(`kubernetes.${name}Attributes`, {
    rawSelector: text,
    requirements: { kind: "list", item: requirement },
  });
}

const requestType = objectType("kubernetes.SubjectAccessReviewSpec", {
  resourceAttributes: objectType("kubernetes.ResourceAttributes", {
    namespace: text,
    verb: text,
    group: text,
    version: text,
    resource: text,
    subresource: text,
    name: text,
    fieldSelector: selectorType("FieldSelector"),
    labelSelector: selectorType("LabelSelector"),
  }),
  nonResourceAttributes: objectType("kubernetes.NonResourceAttributes", { path: text, verb: text }),
  user: text,
  groups: texts,
  extra: { kind: "map", key: text, value: texts },
  uid: text,
});

/**
 * Compiles conditions over `request`, the spec of a SubjectAccessReview. `name` identifies them in errors. Throws a
 * `ConfigError` that lists every invalid one.
 */
export function compileMatchConditions(conditions: readonly MatchCondition[], name: string): ConditionsHold {
  const problems: string[] = [];
  const programs = conditions.flatMap(({ expression }, index) => {
    try {
      return [compileMatchCondition(expression)];
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      problems.push(`${name}.matchConditions[${index}].expression: ${error.message}`);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems.join("; "));
  return (spec) => matchConditionsHold(programs, spec);
}

function compileMatchCondition(expression: string): CelProgram {
  const program = compileCel(expression, new Map([["request", requestType]]));
  if (program.type.kind !== "bool") throw new CelCompileError("must evaluate to bool");
  return program;
}

function matchConditionsHold(conditions: readonly CelProgram[], spec: object): boolean {
  const errors: string[] = [];
  for (const condition of conditions) {
    try {
      if (evaluateCel(condition, { request: () => toCel(spec) }).value !== true) return false;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      errors.push(`cel evaluation error: expression '${condition.expression}' resulted in error: ${error.message}`);
    }
  }
  if (errors.length > 0) throw new CelError(errors.length > 1 ? `[${errors.join(", ")}]` : errors[0]!);
  return true;
}
