import type { FieldError } from "../../errors/field-error.js";
import { sloppyAddress } from "../../objects/addresses.js";
import { invalid } from "./field-errors.js";

/** Whether a text, of which it is known that it is an address, is one of version 4. */
export function isIpv4Text(text: string): boolean {
  return !text.includes(":");
}

/** Errors of an address that others are sent to. */
export function endpointAddress(field: string, text: string): FieldError[] {
  const bytes = sloppyAddress(text);
  if (bytes === undefined) return [invalid(field, text, "must be a valid IP address")];
  const [first = 0, second = 0] = bytes;
  const long = bytes.length === 16;
  const errors: FieldError[] = [];
  if (bytes.every((byte) => byte === 0)) errors.push(invalid(field, text, `may not be unspecified (${text})`));
  if (long ? bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1 : first === 127)
    errors.push(invalid(field, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"));
  if (long ? first === 0xfe && second >> 6 === 2 : first === 169 && second === 254)
    errors.push(invalid(field, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
  if (long ? first === 0xff && (second & 15) === 2 : first === 224 && second === 0 && bytes[2] === 0)
    errors.push(invalid(field, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
  return errors;
}
