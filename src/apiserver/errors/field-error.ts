import type { Status, StatusCause } from "../../meta/status.js";
import { boundText, goJsonStart, goQuote } from "../internal/go-text.js";
import { maxCauses } from "./bounded.js";

/** A validation error, equivalent to apimachinery's `field.Error`. */
export interface FieldError {
  readonly type:
    | "FieldValueRequired"
    | "FieldValueInvalid"
    | "FieldValueNotSupported"
    | "FieldValueForbidden"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueDuplicate"
    | "FieldValueTypeInvalid"
    | "FieldValueNotFound"
    | "InternalError";
  /** Path, such as `spec.containers[0].name`. */
  readonly field: string;
  /** The offending value as shown in the message. Missing for Required and Forbidden. */
  readonly value?: unknown;
  readonly detail: string;
}

export function invalidField(field: string, value: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, value, detail };
}

export function requiredField(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, detail };
}

/** Creates the error for a field that must not be set or must not change. */
export function forbiddenField(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, detail };
}

/** Creates the error for a value outside of a fixed set. */
export function unsupportedField(field: string, value: unknown, known: readonly string[]): FieldError {
  const texts = known.map((each) => JSON.stringify(each)).join(", ");
  return { type: "FieldValueNotSupported", field, value, detail: `supported values: ${texts}` };
}

const words: Record<FieldError["type"], string> = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueDuplicate: "Duplicate value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotFound: "Not found",
  InternalError: "Internal error",
};

/** Returns the text of an error without its field, for a cause's `message`. `shown` keeps the texts of values. */
export function fieldErrorBody(error: FieldError, shown: Map<unknown, string> = new Map()): string {
  const word = words[error.type];
  const bare =
    error.type === "FieldValueRequired" ||
    error.type === "FieldValueForbidden" ||
    error.type === "InternalError" ||
    error.type === "FieldValueTooLong" ||
    error.type === "FieldValueTooMany";
  const head = bare || error.value === undefined ? word : `${word}: ${show(error.value, shown)}`;
  return error.detail === "" ? head : `${head}: ${error.detail}`;
}

function show(value: unknown, shown: Map<unknown, string>): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value !== "object" || value === null) return String(value);
  let text = shown.get(value);
  if (text === undefined) shown.set(value, (text = goJsonStart(value)));
  return text;
}

/** Creates the 422 Status for these errors. */
export function invalidStatus(
  kind: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): Status {
  const shown = errors.slice(0, maxCauses);
  const values = new Map<unknown, string>();
  const causes = shown.map((error) => ({
    reason: error.type,
    message: fieldErrorBody(error, values),
    field: error.field,
  })) satisfies StatusCause[];
  // Causes keep duplicates; the message lists each text once.
  const texts = [...new Set(causes.map(({ field, message }) => `${boundText(field)}: ${message}`))];
  const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${qualified} ${goQuote(name)} is invalid${errors.length === 0 ? "" : `: ${text}`}`,
    reason: "Invalid",
    details: {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      ...(causes.length === 0 ? {} : { causes }),
    },
    code: 422,
  };
}
