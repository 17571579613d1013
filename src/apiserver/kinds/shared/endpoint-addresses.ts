import type { FieldError } from "../../errors/field-error.js";
import { lenientAddress } from "../../objects/addresses.js";
import { invalid } from "./field-errors.js";

/** True if a valid IP address is an IPv4 one. */
export function isIpv4Text(text: string): boolean {
  return !text.includes(":");
}

/** Returns the errors of an IP address that can't be an endpoint. */
export function endpointAddress(field: string, text: string): FieldError[] {
  const bytes = lenientAddress(text);
  if (bytes === undefined) return [invalid(field, text, "must be a valid IP address")];
  const [first = 0, second = 0] = bytes;
  const long = bytes.length === 16;
  const special: readonly (readonly [matches: boolean, name: string])[] = [
    [bytes.every((byte) => byte === 0), "unspecified address"],
    [long ? bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1 : first === 127, "loopback range"],
    [long ? first === 0xfe && second >> 6 === 2 : first === 169 && second === 254, "link-local range"],
    [
      long ? first === 0xff && (second & 15) === 2 : first === 224 && second === 0 && bytes[2] === 0,
      "link-local multicast range",
    ],
  ];
  return special.flatMap(([matches, name]) => (matches ? [invalid(field, text, `may not be in the ${name}`)] : []));
}
