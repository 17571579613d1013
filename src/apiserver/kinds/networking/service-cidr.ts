import type { ServiceCIDR } from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { parseRange, rangeProblem } from "../../objects/addresses.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { allMetadata } from "../shared/metadata-rules.js";

const cidrsField = "spec.cidrs";

const rangesOf = ({ spec }: ServiceCIDR): readonly string[] => spec?.cidrs ?? [];

function validate(cidr: ServiceCIDR): FieldError[] {
  const ranges = rangesOf(cidr);
  if (ranges.length === 0) return [required(cidrsField)];
  if (ranges.length > 2) return [invalid(cidrsField, ranges, "may only hold up to 2 values")];
  const errors = check.eachItem(ranges, cidrsField, (range, at) => {
    const problem = rangeProblem(range, true);
    return problem === undefined ? [] : [invalid(at, range, problem)];
  });
  const [first, second] = ranges.map((range) => parseRange(range)?.first.length);
  if (first !== undefined && first === second)
    errors.push(invalid(cidrsField, ranges, "may specify no more than one range for each IP family"));
  return errors;
}

/** Validates a change, which can only add a range of the other family. */
function validateUpdate(cidr: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const [now, before] = [rangesOf(cidr), rangesOf(old)];
  const kept = check.eachItem(before, cidrsField, (range, at, index) => check.immutable(at, now[index], range));
  if (now.length === before.length) return kept;
  return before.length === 1 && now.length === 2
    ? [...kept, ...validate(cidr)]
    : [invalid(cidrsField, now, "field is immutable")];
}

export const serviceCidr: KindDefinition = defineBuiltin<ServiceCIDR>({
  resource: "networking.k8s.io/servicecidrs",
  metadata: { keptByStatus: allMetadata },
  prepare: { create: dropStatus },
  validate: { create: validate, update: validateUpdate },
  printer: { columns: "CIDRs,Age", cells: (cidr, age) => [rangesOf(cidr).join(","), age] },
});
