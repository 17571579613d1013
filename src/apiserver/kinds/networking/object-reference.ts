import type { FieldError } from "../../errors/field-error.js";
import { dnsSubdomain, pathSegment, requiredText } from "../shared/field-errors.js";

/** Validates a reference to an object of any kind. */
export function referenceErrors(
  reference: { readonly apiGroup?: string; readonly kind: string; readonly name: string },
  at: string,
): FieldError[] {
  const group = (reference.apiGroup as string | null | undefined) ?? undefined;
  return [
    ...(group === undefined ? [] : dnsSubdomain(`${at}.apiGroup`, group)),
    ...requiredText(`${at}.kind`, reference.kind, pathSegment),
    ...requiredText(`${at}.name`, reference.name, pathSegment),
  ];
}
