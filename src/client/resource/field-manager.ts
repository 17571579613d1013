import { utf8Encode } from "../../internal/bytes.js";

/** Refuses what the server would refuse as the name of a field manager. Throws a `TypeError`. */
export function checkFieldManager(name: string): void {
  if (utf8Encode(name).length > 128 || !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(name)) {
    throw new TypeError("fieldManager must be at most 128 bytes of printable characters");
  }
}
