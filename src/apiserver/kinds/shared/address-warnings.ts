import { addressProblem, canonicalAddress, formatAddress, parseRange } from "../../objects/addresses.js";

/** Addresses that are no longer taken everywhere. */
export function addressWarnings(at: string, text: string): string[] {
  const problem = addressProblem(text);
  if (problem === undefined || parseRange(`${text}/0`) === undefined) return [];
  const canonical = canonicalAddress(text);
  return [
    problem.startsWith("must be in canonical form")
      ? `${at}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`
      : `${at}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(canonical)}`,
  ];
}

/** Ranges that are not in the one form that all readers take alike. */
export function rangeWarnings(at: string, text: string): string[] {
  const range = parseRange(text);
  if (range === undefined || !text.includes(":")) return [];
  const canonical = `${formatAddress(range.first)}/${String(range.length)}`;
  return canonical === text
    ? []
    : [
        `${at}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
      ];
}
