import { addressProblem, canonicalAddress, formatAddress, parseRange } from "../../objects/addresses.js";

/** Returns a warning for an IP address that isn't in canonical form. */
export function addressWarnings(at: string, text: string): string[] {
  if (addressProblem(text) === undefined || parseRange(`${text}/0`) === undefined) return [];
  return [`${at}: IP address ${JSON.stringify(text)} should be written as ${JSON.stringify(canonicalAddress(text))}`];
}

/** Returns a warning for an IPv6 range that isn't in canonical form. */
export function rangeWarnings(at: string, text: string): string[] {
  const range = parseRange(text);
  if (range === undefined || !text.includes(":")) return [];
  const canonical = `${formatAddress(range.first)}/${String(range.length)}`;
  return canonical === text
    ? []
    : [`${at}: CIDR value ${JSON.stringify(text)} should be written as ${JSON.stringify(canonical)}`];
}
