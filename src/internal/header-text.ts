import { utf8Decode } from "./bytes.js";

/** Decodes a header value as UTF-8. Platforms deliver its bytes as characters. */
export function headerText(value: string): string {
  return /[\u0080-\u00ff]/.test(value)
    ? utf8Decode(Uint8Array.from(value, (character) => character.charCodeAt(0)))
    : value;
}
