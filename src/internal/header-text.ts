import { utf8Decode } from "./bytes.js";

/** Text of a header whose bytes the platform gives as characters: it is UTF-8. */
export function headerText(value: string): string {
  return /[\u0080-\u00ff]/.test(value)
    ? utf8Decode(Uint8Array.from(value, (character) => character.charCodeAt(0)))
    : value;
}
