import { utf8Decode, utf8Encode } from "./bytes.js";

/** Decodes a header value as UTF-8. Platforms deliver its bytes as characters. */
export function headerText(value: string): string {
  return /[\u0080-\u00ff]/.test(value)
    ? utf8Decode(Uint8Array.from(value, (character) => character.charCodeAt(0)))
    : value;
}

/** Encodes a header value as UTF-8, with one character per byte as platforms expect it. The reverse of `headerText`. */
export function headerBytes(value: string): string {
  return /[^\0-\u007f]/.test(value)
    ? Array.from(utf8Encode(value), (byte) => String.fromCharCode(byte)).join("")
    : value;
}
