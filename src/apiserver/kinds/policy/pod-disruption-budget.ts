import type { PodDisruptionBudget } from "../../../kinds/policy/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid } from "../shared/field-errors.js";
import { atMostAll, intOrPercent } from "../shared/int-or-percent.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { conditionsErrors, selectorErrors } from "../shared/selectors.js";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

function validate({ spec = {} }: PodDisruptionBudget): FieldError[] {
  return [
    ...(spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
      ? [invalid("spec", {}, "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...(["minAvailable", "maxUnavailable"] as const).flatMap((key) => [
      ...intOrPercent(`spec.${key}`, spec[key]),
      ...atMostAll(`spec.${key}`, spec[key]),
    ]),
    ...selectorErrors(spec.selector, "spec.selector"),
    ...check.optionalOneOf("spec.unhealthyPodEvictionPolicy", spec.unhealthyPodEvictionPolicy, evictionPolicies),
  ];
}

export const podDisruptionBudget: KindDefinition = defineBuiltin<PodDisruptionBudget>({
  resource: "policy/poddisruptionbudgets",
  requiresVersionOnUpdate: true,
  generation: { counts: "fromOne" },
  metadata: { name: "pathSegment", validatedLast: true, checksOnUpdate: 0 },
  prepare: { create: dropStatus },
  validate: {
    create: validate,
    status: ({ status }) => [
      ...conditionsErrors(status?.conditions ?? [], "status.conditions"),
      ...check.nonNegativeFields(status, "status", [
        "disruptionsAllowed",
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
      ]),
    ],
  },
  printer: {
    columns: "Min Available,Max Unavailable,Allowed Disruptions:integer,Age",
    cells: ({ spec, status }, age) => [
      String(spec?.minAvailable ?? "N/A"),
      String(spec?.maxUnavailable ?? "N/A"),
      status?.disruptionsAllowed ?? 0,
      age,
    ],
  },
});
