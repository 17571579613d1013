import { ProtocolError } from "../../errors/errors.js";
import { utf8Encode } from "../../internal/bytes.js";

/** Encodes a value as JSON. Throws a `ProtocolError` for one that JSON can't represent. */
export function encodeJson(value: object): Uint8Array {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new ProtocolError("encode object as JSON: it contains a cycle or a value that JSON cannot represent", {
      cause,
    });
  }
  if (text === undefined) throw new ProtocolError("encode object as JSON: it is not an object");
  // `JSON.stringify` writes NaN as null, which stands for the default of a field, or deletes it in a patch.
  if (text.includes("null")) checkNumbers(value, "");
  return utf8Encode(text);
}

function checkNumbers(value: unknown, path: string): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new ProtocolError(`encode object as JSON: ${path}: a number that is not finite`);
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) checkNumbers(member, path === "" ? key : `${path}.${key}`);
}
