import { ApiFailure } from "../errors/status.js";
import { parseGoJson } from "../internal/go-json.js";
import type { ApiObject } from "../objects/api-object.js";

/**
 * Decodes a patched object. With `text`, problems come in the order of that text, which the server reads. Returns the unknown fields.
 * Throws 400.
 */
export function decodeInTextOrder(
  object: ApiObject,
  text: (() => string) | undefined,
  decode: (object: ApiObject) => readonly string[],
): readonly string[] {
  const inOrder = (): readonly string[] => decode(parseGoJson(text!()).value as ApiObject);
  try {
    const unknown = decode(object);
    return text === undefined || unknown.length < 2 ? unknown : inOrder();
  } catch (error) {
    if (text !== undefined && error instanceof ApiFailure) inOrder();
    throw error;
  }
}

/** Returns what a decoding error says of the object, without the kind. */
export function decodeProblem(error: ApiFailure): string {
  return error.message.replace(/^.*? cannot be handled as a \w+: /, "");
}
