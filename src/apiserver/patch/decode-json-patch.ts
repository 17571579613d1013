import { setOwn } from "../../internal/set-own.js";
import { GoJsonError, parseGoJson } from "../internal/go-json.js";
import { canonicalText } from "../internal/go-text.js";
import { getOwn, isJsonObject, type JsonObject, jsonTypeName } from "../internal/json-value.js";
import { PatchError } from "./patch-error.js";

/** One operation as sent; it is validated when it is applied. */
export type RawJsonPatchOperation = JsonObject | null;

/** A JSON patch parsed from a request. */
export interface DecodedJsonPatch {
  /** The operations in order. */
  readonly operations: readonly RawJsonPatchOperation[];
  /** Duplicate and unknown fields in the words of the server's warnings; empty unless checked. */
  readonly strictErrors: readonly string[];
}

/** A scalar whose text differs from the canonical one, such as `1.0` or `"\u0061"`, because tests compare the text. */
export class SpelledScalar {
  readonly value: unknown;
  /** Text in the patch. */
  readonly text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.text = text;
  }
}

const knownFields = new Set(["op", "path", "from", "value"]);

/**
 * Parses the text of a JSON patch. `check` is true for field validation Warn and Strict. Throws a `PatchError` with
 * code 400 if it isn't a list of objects.
 */
export function decodeJsonPatch(text: string, options: { readonly check: boolean }): DecodedJsonPatch {
  const { value, duplicates } = read(text);
  if (value !== null && !Array.isArray(value)) throw unreadable(`it is of type ${jsonTypeName(value)}, not array`);
  const operations = (value ?? []) as unknown[];
  for (const operation of operations) checkOperation(operation, options.check);
  const strictErrors = options.check
    ? [...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`), ...unknownFields(operations)]
    : [];
  return {
    operations: operations as RawJsonPatchOperation[],
    strictErrors: strictErrors.map((error) => `json patch ${error}`),
  };
}

function read(text: string): { value: unknown; duplicates: readonly string[] } {
  const spelled: { parent: object; key: string | number; text: string }[] = [];
  try {
    const result = parseGoJson(text, {
      onScalar: (parent, key, scalar) => spelled.push({ parent, key, text: scalar }),
    });
    if (Array.isArray(result.value)) keepSpellings(result.value, spelled);
    return result;
  } catch (error) {
    if (error instanceof GoJsonError) throw unreadable(error.message);
    throw error;
  }
}

/** Only values need their text: op, path and from are direct members of the operations. */
function keepSpellings(
  operations: readonly unknown[],
  spelled: readonly { parent: object; key: string | number; text: string }[],
): void {
  const direct = new Set<unknown>(operations);
  for (const { parent, key, text } of spelled) {
    if (parent === operations || (direct.has(parent) && key !== "value")) continue;
    const value = (parent as JsonObject)[key];
    if (typeof value === "object" || canonicalText(value) === text) continue;
    if (Array.isArray(parent)) parent[key as number] = new SpelledScalar(value, text);
    else setOwn(parent as JsonObject, key as string, new SpelledScalar(value, text));
  }
}

function checkOperation(operation: unknown, check: boolean): void {
  if (operation === null) return;
  if (!isJsonObject(operation)) throw unreadable(`an operation is of type ${jsonTypeName(operation)}, not object`);
  if (!check) return;
  for (const field of ["op", "path", "from"]) {
    const value = getOwn(operation, field) ?? null;
    if (value !== null && typeof value !== "string")
      throw unreadable(`the ${field} of an operation is of type ${jsonTypeName(value)}, not string`);
  }
}

function unreadable(why: string): PatchError {
  return new PatchError(400, `error decoding patch: ${why}`);
}

function unknownFields(operations: readonly unknown[]): string[] {
  return operations.flatMap((operation, index) =>
    Object.keys(operation ?? {})
      .filter((field) => !knownFields.has(field))
      .map((field) => `unknown field ${JSON.stringify(`[${index}].${field}`)}`),
  );
}
