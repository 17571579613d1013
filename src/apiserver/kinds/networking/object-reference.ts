import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";

/** Validates a reference to an object of any kind. */
export function referenceErrors(
  reference: { readonly apiGroup?: string | undefined; readonly kind: string; readonly name: string },
  at: string,
): FieldError[] {
  const group = (reference.apiGroup as string | null | undefined) ?? undefined;
  return [
    ...(group === undefined ? [] : check.dnsSubdomain(`${at}.apiGroup`, group)),
    ...check.requiredText(`${at}.kind`, reference.kind, check.pathSegment),
    ...check.requiredText(`${at}.name`, reference.name, check.pathSegment),
  ];
}
