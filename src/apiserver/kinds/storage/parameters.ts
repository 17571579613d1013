import { utf8Encode } from "../../../internal/bytes.js";
import type { FieldError } from "../../errors/field-error.js";
import { invalid, qualifiedName, required, requiredText, tooLong } from "../shared/field-errors.js";

const MOST_PARAMETERS = 512;

/** Bytes that a map of a storage kind may have. */
export const MOST_BYTES: number = 256 * 1024;

/** Returns how many bytes the keys and values of a map have. */
export function sizeOfMap(map: Readonly<Record<string, string>> | undefined): number {
  return utf8Encode(
    Object.entries(map ?? {})
      .flat()
      .join(""),
  ).length;
}

/** Returns the errors of the name of a provisioner. */
export function provisionerErrors(field: string, name: string): FieldError[] {
  return requiredText(field, name.toLowerCase(), qualifiedName);
}

/** Returns the errors of the parameters of a class. */
export function parameterErrors(map: Readonly<Record<string, string>> = {}): FieldError[] {
  const keys = Object.keys(map);
  if (keys.length > MOST_PARAMETERS) return [tooLong("parameters", MOST_PARAMETERS)];
  return [
    ...(keys.includes("") ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...(sizeOfMap(map) > MOST_BYTES ? [tooLong("parameters", MOST_BYTES)] : []),
  ];
}

/** Returns the errors of the parameters of a class that needs some. */
export function requiredParameters(map: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.keys(map).length === 0 ? [required("parameters")] : parameterErrors(map);
}
