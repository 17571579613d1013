import { pushAll } from "../../../internal/push-all.js";
import type { Lease } from "../../../kinds/coordination/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { forbidden, invalid } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { strategyErrors } from "./election-strategy.js";

/** Drops the fields of coordinated leader election, a disabled feature, unless the stored object uses them. */
function dropElection({ spec }: Lease, old?: Lease): void {
  if (spec === undefined || old?.spec?.strategy !== undefined || old?.spec?.preferredHolder !== undefined) return;
  delete spec.strategy;
  delete spec.preferredHolder;
}

function validate({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", spec.leaseDurationSeconds, "must be greater than 0"));
  if ((spec.leaseTransitions ?? 0) < 0)
    errors.push(invalid("spec.leaseTransitions", spec.leaseTransitions, "must be greater than or equal to 0"));
  if (spec.strategy !== undefined) pushAll(errors, strategyErrors(spec.strategy));
  if ((spec.preferredHolder ?? "") !== "" && (spec.strategy ?? "") === "")
    errors.push(forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  return errors;
}

export const lease: KindDefinition = defineBuiltin<Lease>({
  resource: "coordination.k8s.io/leases",
  createOnUpdate: true,
  requiresVersionOnUpdate: true,
  metadata: { plainFinalizers: true },
  prepare: { create: (object) => dropElection(object), update: dropElection },
  validate: { create: validate },
  printer: {
    columns: "Holder,Age",
    cells: ({ spec }: Lease, age) => [spec?.holderIdentity ?? "", age],
  },
});
