import { utf8Encode } from "../../../internal/bytes.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required, tooLong } from "../shared/field-errors.js";

const mostParameters = 512;

/** Maximum size of a storage kind's map in bytes. */
export const mostBytes: number = 256 * 1024;

/** Returns the size of a map's keys and values in bytes. */
export function sizeOfMap(map: Readonly<Record<string, string>> | undefined): number {
  return utf8Encode(
    Object.entries(map ?? {})
      .flat()
      .join(""),
  ).length;
}

/** Validates the name of a provisioner. */
export function provisionerErrors(field: string, name: string): FieldError[] {
  return check.requiredText(field, name.toLowerCase(), check.qualifiedName);
}

/** Validates the parameters of a class. */
export function parameterErrors(map: Readonly<Record<string, string>> = {}): FieldError[] {
  const keys = Object.keys(map);
  if (keys.length > mostParameters) return [tooLong("parameters", mostParameters)];
  return [
    ...(keys.includes("") ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...(sizeOfMap(map) > mostBytes ? [tooLong("parameters", mostBytes)] : []),
  ];
}

/** Validates the parameters of a class that requires some. */
export function requiredParameters(map: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.keys(map).length === 0 ? [required("parameters")] : parameterErrors(map);
}
