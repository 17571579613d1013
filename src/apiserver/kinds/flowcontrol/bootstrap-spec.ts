import { bootstrapObject } from "../../../gen/bootstrap.js";
import type { FieldError } from "../../errors/field-error.js";
import { equalJson } from "../../internal/json-value.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";

interface Mandatory {
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Returns an error if a mandatory object doesn't have its required spec. For the level `exempt`, `spec.exempt` may
 * change.
 */
export function mandatoryErrors(
  kind: "FlowSchema" | "PriorityLevelConfiguration",
  name: string,
  spec: object | undefined,
): FieldError[] {
  if (name !== "exempt" && name !== "catch-all") return [];
  const fixed = (bootstrapObject(kind, name) as Mandatory | undefined)?.spec;
  const partly = kind === "PriorityLevelConfiguration" && name === "exempt";
  const compared = (of: object | undefined): object => (partly ? { ...of, exempt: undefined } : { ...of });
  return fixed === undefined || equalJson(compared(spec), compared(fixed))
    ? []
    : [
        invalid(
          "spec",
          spec,
          `spec of '${name}'${partly ? " except the 'spec.exempt' field" : ""} must equal the fixed value`,
        ),
      ];
}

/** Validates the conditions of a status: each type may appear once. */
export function statusErrors({
  status,
}: {
  readonly status?: { readonly conditions?: readonly { readonly type?: string | undefined }[] | undefined } | undefined;
}): FieldError[] {
  const types = (status?.conditions ?? []).map(({ type = "" }) => type);
  return [
    ...check.duplicates(types, (index) => `status.conditions[${String(index)}].type`),
    ...check.eachItem(types, "status.conditions", (type, at) => (type === "" ? [required(`${at}.type`)] : [])),
  ];
}
