import type { PriorityClass } from "../../../kinds/scheduling/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

const highestUserPriority = 1_000_000_000;
const systemPrefix = "system-";
const systemClasses: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);
const preemptionPolicies = ["PreemptLowerPriority", "Never"];

function validate({ metadata, value, globalDefault = false, preemptionPolicy: policy }: PriorityClass): FieldError[] {
  const name = metadata?.name ?? "";
  const errors: FieldError[] = [];
  if (name.startsWith(systemPrefix)) {
    if (systemClasses.get(name) !== value || globalDefault)
      errors.push(forbidden("metadata.name", "names with the prefix 'system-' are reserved for system use"));
  } else if ((value ?? 0) > highestUserPriority)
    errors.push(forbidden("value", `must not be greater than ${String(highestUserPriority)}`));
  return policy === undefined
    ? errors
    : [...errors, ...check.requiredOneOf("preemptionPolicy", policy, preemptionPolicies)];
}

export const priorityClass: KindDefinition = defineBuiltin<PriorityClass>({
  resource: "scheduling.k8s.io/priorityclasses",
  generation: { counts: "fixed" },
  deletion: {
    refusal: (name) =>
      name.startsWith(systemPrefix) ? "this is a system priority class and cannot be deleted" : undefined,
  },
  defaults: {
    "io.k8s.api.scheduling.v1.PriorityClass": (each: PriorityClass) => {
      each.preemptionPolicy ??= "PreemptLowerPriority";
    },
  },
  validate: {
    create: validate,
    update: (each, old) => [
      ...(each.value === old.value ? [] : [forbidden("value", "may not be changed in an update.")]),
      ...check.immutable("preemptionPolicy", each.preemptionPolicy, old.preemptionPolicy),
    ],
  },
  printer: {
    columns: "Value:integer,Global-Default:boolean,Age,PreemptionPolicy",
    cells: (each, age) => [each.value, each.globalDefault ?? false, age, each.preemptionPolicy ?? ""],
  },
});
