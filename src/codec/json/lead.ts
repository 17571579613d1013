import { copyBytes } from "../../internal/bytes.js";
import { type ByteRange, sameBytes, utf8SliceStrict } from "../../internal/text.js";

type Plain = Record<string, unknown>;

/** Members before the metadata that were seen last: `kind` and `apiVersion`, the same in every event of a watch. */
let lead: ByteRange = { bytes: new Uint8Array(0), start: 0, end: 0 };
let leadEntries: readonly (readonly [string, unknown])[] = [];

/**
 * Returns a new object with the members between `start` and the key `metadata` at `end`. Returns `undefined` if these
 * bytes aren't members of the object, so `metadata` isn't its own key.
 */
export function decodeLead(bytes: Uint8Array, start: number, end: number): Plain | undefined {
  const length = end - start;
  if (length === 1) return bytes[start] === 0x7b ? {} : undefined;
  if (!sameBytes(lead, bytes, start, end)) {
    if (length > 4096) return undefined;
    const text = utf8SliceStrict(bytes, start, end);
    if (text === undefined) return undefined;
    let object: Plain;
    try {
      object = JSON.parse(`${text}"metadata":0}`) as Plain;
    } catch {
      return undefined;
    }
    const entries = Object.entries(object).filter(([key]) => key !== "metadata");
    // Shared values must be immutable, and `__proto__` isn't worth special handling here.
    if (entries.some(([key, value]) => key === "__proto__" || (typeof value === "object" && value !== null)))
      return undefined;
    lead = { bytes: copyBytes(bytes, start, end), start: 0, end: length };
    leadEntries = entries;
  }
  const object: Plain = {};
  for (const [key, value] of leadEntries) object[key] = value;
  return object;
}
