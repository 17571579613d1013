import { deepEqual } from "../../../internal/deep-equal.js";
import { formatYaml } from "../../../internal/yaml/yaml-writer.js";

/** Function that templates can call. */
export type TemplateFunction = (...args: readonly unknown[]) => unknown;

/** Returns false for what Go's templates take as empty: nothing, `false`, 0, and empty texts, lists and maps. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Returns a value as Go's templates print it. */
export function display(value: unknown): string {
  if (value === undefined || value === null) return "<no value>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quote(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return typeof value === "string" ? text : JSON.stringify(text);
}

function index(value: unknown, ...keys: readonly unknown[]): unknown {
  return keys.reduce((inner, key) => {
    if (Array.isArray(inner)) {
      if (typeof key === "number" && key >= 0 && key < inner.length) return inner[key] as unknown;
      throw new RangeError(`index ${display(key)} is out of range: the list has ${inner.length} items`);
    }
    const isObject = typeof inner === "object" && inner !== null && Object.hasOwn(inner, String(key));
    return isObject ? (inner as Record<string, unknown>)[String(key)] : undefined;
  }, value);
}

function compare(test: (order: number) => boolean): TemplateFunction {
  return (a, b) => {
    if (typeof a === "number" && typeof b === "number") return test(a - b);
    if (typeof a === "string" && typeof b === "string") return test(a < b ? -1 : a > b ? 1 : 0);
    throw new TypeError(`${display(a)} and ${display(b)} can't be compared`);
  };
}

function printf(format: unknown, ...values: readonly unknown[]): string {
  let next = 0;
  return String(format).replace(/%([sdvq%])/g, (_, verb: string) => {
    if (verb === "%") return "%";
    const value = values[next++];
    return verb === "q" ? JSON.stringify(display(value)) : display(value);
  });
}

function yaml(value: unknown, indent: unknown = 0): string {
  const text = formatYaml(value).trimEnd();
  const levels = Number(indent);
  if (!(levels >= 0 && levels <= 100)) throw new RangeError(`the indent ${display(indent)} must be from 0 to 100`);
  const pad = " ".repeat(2 * levels);
  return pad === "" ? text : `\n${text}`.replaceAll("\n", `\n${pad}`);
}

function sizeOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return Object.keys(value ?? {}).length;
}

function dict(...pairs: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(pairs.flatMap((key, at) => (at % 2 === 0 ? [[String(key), pairs[at + 1]] as const] : [])));
}

/** Functions that don't depend on the object. */
export const generalFunctions: Readonly<Record<string, TemplateFunction>> = {
  Quote: quote,
  YAML: yaml,
  and: (...values) => values[values.findIndex((value, at) => !isTrue(value) || at === values.length - 1)],
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  dict,
  eq: (first, ...others) => others.some((other) => deepEqual(first, other)),
  ge: compare((order) => order >= 0),
  gt: compare((order) => order > 0),
  index,
  le: compare((order) => order <= 0),
  len: sizeOf,
  list: (...values) => values,
  lower: (text) => display(text).toLowerCase(),
  lt: compare((order) => order < 0),
  ne: (a, b) => !deepEqual(a, b),
  not: (value) => !isTrue(value),
  or: (...values) => values.find(isTrue) ?? values.at(-1),
  printf,
  quote,
  toString: display,
  trim: (text) => display(text).trim(),
  upper: (text) => display(text).toUpperCase(),
};
