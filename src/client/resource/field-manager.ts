import { utf8Encode } from "../../internal/bytes.js";

/** Throws a `TypeError` for a field manager's name that the server would reject. */
export function checkFieldManager(name: string): void {
  if (utf8Encode(name).length > 128 || !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(name)) {
    throw new TypeError("fieldManager must be at most 128 bytes of printable characters");
  }
}
