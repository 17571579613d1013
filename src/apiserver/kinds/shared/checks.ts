import { pushAll } from "../../../internal/push-all.js";
import { compareQuantities } from "../../../meta/quantity.js";
import { maxCauses } from "../../errors/bounded.js";
import type { FieldError } from "../../errors/field-error.js";
import { addressProblem } from "../../objects/addresses.js";
import { labelKeyErrors, labelValueErrors } from "../../objects/selectors.js";
import type { NameRule } from "../../objects/validate-metadata.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { duplicate, invalid, notSupported, required } from "./field-errors.js";

type Check = (field: string, value: string) => FieldError[];

/** Returns a check that applies a rule for names. */
function nameCheck(rule: NameRule): Check {
  return (field, value) => nameErrors(value, rule).map((detail) => invalid(field, value, detail));
}

/** Validates a DNS label. */
export const dnsLabel: Check = nameCheck("label");

/** Validates a DNS label that begins with a letter. */
export const dnsLabel1035: Check = nameCheck("label1035");

/** Validates a DNS subdomain. */
export const dnsSubdomain: Check = nameCheck("subdomain");

/** Validates a name that must be a path segment. */
export const pathSegment: Check = nameCheck("pathSegment");

/** Validates a key of a ConfigMap or Secret. */
export const configKey: Check = nameCheck("configKey");

/** Validates a path after a domain, such as `example.com/name`. */
export function domainPath(field: string, value: string): FieldError[] {
  if (value === "") return [required(field)];
  const slash = value.indexOf("/");
  if (slash < 1 || slash === value.length - 1)
    return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const path = value.slice(slash + 1);
  return [
    ...dnsSubdomain(field, value.slice(0, slash)),
    ...(/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path) ? [] : [invalid(field, path, "must be a valid path")]),
  ];
}

/** Validates a domain with at least two parts. */
export function fullDomain(field: string, value: string): FieldError[] {
  if (value === "") return [required(field)];
  const name = value.replace(/\.$/, "");
  const problems = nameErrors(name, "subdomain");
  if (problems.length > 0) return [invalid(field, name, problems.join(","))];
  const parts = name.split(".");
  if (parts.length < 2)
    return [invalid(field, name, "should be a domain with at least two segments separated by dots")];
  const part = parts.find((each) => nameErrors(each, "label").length > 0);
  return part === undefined ? [] : [invalid(field, part, nameErrors(part, "label").join(","))];
}

/** Protocols of ports. */
export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];

/** Returns an error unless the text is an IP address without leading zeros, canonical or not. */
export function ipAddress(field: string, value: string): FieldError[] {
  const problem = addressProblem(value, false);
  return problem === undefined ? [] : [invalid(field, value, problem)];
}

/** Validates the keys and values of labels. */
export function labels(field: string, given: Readonly<Record<string, string>> | undefined): FieldError[] {
  return eachItem(Object.entries(given ?? {}), field, ([key, value]) => [
    ...labelKeyErrors(key).map((detail) => invalid(field, key, detail)),
    ...labelValue(field, value),
  ]);
}

/** Validates the value of a label. */
export function labelValue(field: string, value: string): FieldError[] {
  return labelValueErrors(value).map((detail) => invalid(field, value, detail));
}

/** Validates a qualified name, such as a label's key. */
export function qualifiedName(field: string, value: string): FieldError[] {
  return labelKeyErrors(value).map((detail) => invalid(field, value, detail));
}

/** Returns an error for a number below the least one. */
export function atLeast(field: string, value: number | null | undefined, least: number): FieldError[] {
  const detail = `must be greater than or equal to ${String(least)}`;
  return (value ?? least) < least ? [invalid(field, value, detail)] : [];
}

/** Returns an error for a number above the greatest one. */
export function atMost(field: string, value: number | null | undefined, most: number): FieldError[] {
  const detail = `must be less than or equal to ${String(most)}`;
  return (value ?? most) > most ? [invalid(field, value, detail)] : [];
}

/** Returns an error for a number outside of a range. */
export function between(field: string, value: number | null | undefined, least: number, most: number): FieldError[] {
  const detail = `must be between ${String(least)} and ${String(most)}, inclusive`;
  return (value ?? least) < least || (value ?? least) > most ? [invalid(field, value, detail)] : [];
}

/** Returns an error for a number below 0. */
export function nonNegative(field: string, value: number | undefined): FieldError[] {
  return atLeast(field, value, 0);
}

/** Returns an error for a quantity below 0. */
export function nonNegativeQuantity(field: string, value: string): FieldError[] {
  return compareQuantities(value, "0") < 0 ? [invalid(field, value, "must be greater than or equal to 0")] : [];
}

/** Validates the number of a port. */
export function portNumber(field: string, value: number): FieldError[] {
  return Number.isInteger(value) && value >= 1 && value <= 65535
    ? []
    : [invalid(field, value, "must be between 1 and 65535, inclusive")];
}

/** Validates the name of a port. */
export function portName(field: string, value: string): FieldError[] {
  const errors: FieldError[] = [];
  if (value.length > 15) errors.push(invalid(field, value, "must be no more than 15 characters"));
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push(invalid(field, value, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
  if (!/[a-z]/.test(value)) errors.push(invalid(field, value, "must contain at least one letter (a-z)"));
  if (value.includes("--")) errors.push(invalid(field, value, "must not contain consecutive hyphens"));
  if (value.startsWith("-") || value.endsWith("-"))
    errors.push(invalid(field, value, "must not begin or end with a hyphen"));
  return errors;
}

/** Validates a port that is given as a number or a name. */
export function portNumberOrName(field: string, value: number | string | undefined): FieldError[] {
  return typeof value === "string" ? portName(field, value) : portNumber(field, value ?? 0);
}

/** Returns an error for a changed immutable field. */
export function immutable(field: string, value: unknown, old: unknown, detail = "field is immutable"): FieldError[] {
  return sameValue(value, old) ? [] : [invalid(field, value, detail)];
}

/** Returns the indexes of the keys that an earlier place holds already. Linear, unlike a search for each. */
export function repeats(keys: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const repeated = new Set<number>();
  keys.forEach((key, index) => {
    if (seen.has(key)) repeated.add(index);
    else seen.add(key);
  });
  return repeated;
}

/**
 * True if two decoded values are equal, regardless of the order of keys. A missing value equals null and an empty list,
 * but not an empty object: decoding removes empty maps, so that it's a struct that Go distinguishes from none.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return isVoid(a) && isVoid(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b)) return isVoid(a) && isVoid(b);
    return a.length === b.length && a.every((item, at) => sameValue(item, b[at]));
  }
  const [left, right] = [a, b] as Record<string, unknown>[];
  for (const key of Object.keys(left!))
    if (!sameValue(left![key], Object.hasOwn(right!, key) ? right![key] : undefined)) return false;
  return Object.keys(right!).every((key) => Object.hasOwn(left!, key) || isVoid(right![key]));
}

/** True for null, undefined and empty lists. */
function isVoid(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Returns a text that is the same for equal values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "" : `[${value.map((each) => canonical(each)).join(",")}]`;
  if (typeof value !== "object" || value === null)
    return value === undefined || value === null ? "" : JSON.stringify(value);
  const parts = Object.entries(value)
    .map(([key, each]) => [key, canonical(each)] as const)
    .filter(([, text]) => text !== "")
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return `{${parts.join(",")}}`;
}

/** Returns an error for each of the named number fields that is below 0. */
export function nonNegativeFields<K extends string>(
  struct: { readonly [key in K]?: number | undefined } | undefined,
  at: string,
  keys: readonly K[],
): FieldError[] {
  return keys.flatMap((key) => nonNegative(`${at}.${key}`, struct?.[key]));
}

/** Returns an error unless the value is one of the known ones. */
export function oneOf(field: string, value: string | undefined, known: readonly string[]): FieldError[] {
  return value !== undefined && known.includes(value) ? [] : [notSupported(field, value, known)];
}

/** Returns an error if the text is empty, otherwise those of `check`. */
export function requiredText(field: string, value: string | null | undefined, check?: Check): FieldError[] {
  return isEmptyText(value) ? [required(field)] : (check?.(field, value!) ?? []);
}

/** Returns the errors of `check`, unless the text is empty. */
export function optionalText(field: string, value: string | null | undefined, check: Check): FieldError[] {
  return isEmptyText(value) ? [] : check(field, value!);
}

function isEmptyText(value: string | null | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** Returns an error unless the value is missing or one of the known ones. */
export function optionalOneOf(field: string, value: string | null | undefined, known: readonly string[]): FieldError[] {
  return value === undefined || value === null || known.includes(value) ? [] : [notSupported(field, value, known)];
}

/** Returns the errors or warnings of all items of a list; `check` gets the path of each. */
export function eachItem<T, R = FieldError>(
  items: readonly T[] | null | undefined,
  at: string,
  check: (item: T, path: string, index: number) => readonly R[],
): R[] {
  const found: R[] = [];
  for (const [index, item] of (items ?? []).entries()) {
    pushAll(found, check(item, `${at}[${String(index)}]`, index));
    if (found.length >= maxCauses) break;
  }
  return found;
}

/** Returns an error for each value that occurs earlier in the list. */
export function duplicates(values: readonly unknown[], path: (index: number) => string): FieldError[] {
  const repeated = [...repeats(values)].slice(0, maxCauses);
  return repeated.map((index) => duplicate(path(index), values[index]));
}

/** Returns an error for a missing or unknown value. */
export function requiredOneOf(field: string, value: string | undefined, known: readonly string[]): FieldError[] {
  return (value ?? "") === "" ? [required(field)] : oneOf(field, value, known);
}

/** Requires a list with items, and no others next to `*`. */
export function itemsOrWildcard(field: string, values: readonly string[] | null | undefined): FieldError[] {
  const list = values ?? [];
  if (list.length === 0) return [required(field)];
  return list.length > 1 && list.includes("*") ? [invalid(field, list, "may have no other items next to '*'")] : [];
}
