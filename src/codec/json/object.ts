import type { DecodeOptions } from "../../meta/options.js";
import { applyDecodeOptions } from "../decode-options.js";
import { parseJsonObject, tryParseJson } from "./parse.js";
import { decodeParts, partsEnd } from "./parts.js";
import { trimSpaceEnd } from "./scan.js";

/** Returns true if the options require more than `JSON.parse`. */
export function needsParts(options: DecodeOptions | undefined): options is DecodeOptions {
  return (
    options !== undefined &&
    (options.lazy === true || options.previous !== undefined || (options.managedFields ?? "keep") !== "keep")
  );
}

/** Decodes one object according to the options. Returns `undefined` if the bytes aren't an object. */
export function tryDecodeJsonObject(
  bytes: Uint8Array,
  start: number,
  end: number,
  options: DecodeOptions | undefined,
): object | undefined {
  if (needsParts(options)) {
    // Servers end a document with a line feed.
    const partEnd = trimSpaceEnd(bytes, start, end);
    const object = decodeParts(bytes, start, partEnd, options);
    if (object !== undefined && partsEnd === partEnd) return object;
  }
  const value = tryParseJson(bytes, start, end);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return applyDecodeOptions(value, options);
}

/** Decodes one object according to the options. Throws a `ProtocolError` with the offset, counted from `base`. */
export function decodeJsonObject(
  bytes: Uint8Array,
  start: number,
  end: number,
  options: DecodeOptions | undefined,
  what: string,
  base = 0,
): object {
  return tryDecodeJsonObject(bytes, start, end, options) ?? parseJsonObject(bytes, start, end, what, base);
}
