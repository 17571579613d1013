import { compileGoRegExp } from "../../internal/re2.js";
import type { Meter } from "../values/equality.js";
import { CelError, CelUint, type CelValue, isCelList } from "../values/values.js";
import { characterCount, unitPosition } from "./characters.js";
import { countText, shownText } from "./lists.js";
import { type Evaluator, sizeOf } from "./operations.js";

/** Calls a string method; returns `undefined` for an unknown one. Positions count characters. Throws a `CelError`. */
export function callStringMethod(
  run: Evaluator,
  name: string,
  text: string,
  args: readonly CelValue[],
): CelValue | undefined {
  return Object.hasOwn(methods, name) ? methods[name]!(text, args, run.work) : undefined;
}

const methods: Readonly<
  Record<string, (text: string, args: readonly CelValue[], work: Meter) => CelValue | undefined>
> = {
  startsWith: (text, [part]) => text.startsWith(asText(part)),
  endsWith: (text, [part]) => text.endsWith(asText(part)),
  contains: (text, [part]) => text.includes(asText(part)),
  charAt: (text, [at]) => charAt(text, asInt(at)),
  indexOf: (text, [part, from]) => position(text, text.indexOf(asText(part), offset(text, from, 0))),
  lastIndexOf: (text, [part, from]) => position(text, text.lastIndexOf(asText(part), offset(text, from, text.length))),
  lowerAscii: (text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  upperAscii: (text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
  replace(text, [old, now, limit], work) {
    const parts = split(text, asText(old), limit === undefined ? -1 : replacements(asInt(limit)));
    countText(text.length + (parts.length - 1) * asText(now).length, work);
    return parts.join(asText(now));
  },
  split: (text, [separator, limit]) => split(text, asText(separator), limit === undefined ? -1 : asInt(limit)),
  substring: (text, [from, to]) => substring(text, asInt(from), to === undefined ? undefined : asInt(to)),
  trim: (text) => text.trim(),
  find: (text, [regex]) => withPattern(asText(regex), (pattern) => pattern.find(text) ?? ""),
  findAll: (text, [regex, limit]) =>
    withPattern(asText(regex), (pattern) => pattern.findAll(text, limit === undefined ? -1 : asInt(limit))),
  format: (text, [values = null], work) => (isCelList(values) ? format(text, values, work) : undefined),
};

function asText(value: CelValue | undefined): string {
  if (typeof value !== "string") throw new CelError("no such overload");
  return value;
}

function asInt(value: CelValue | undefined): number {
  if (typeof value !== "bigint") throw new CelError("no such overload");
  return Number(value);
}

function withPattern<T>(pattern: string, use: (compiled: ReturnType<typeof compileGoRegExp>) => T): T {
  try {
    return use(compileGoRegExp(pattern));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CelError(`Illegal regex: ${error.message}`);
    throw error;
  }
}

function charAt(text: string, at: number): string {
  const unit = unitOf(text, at);
  return unit === text.length ? "" : String.fromCodePoint(text.codePointAt(unit)!);
}

/** Returns the UTF-16 position of a character. Throws a `CelError` beyond the end. */
function unitOf(text: string, character: number): number {
  const unit = unitPosition(text, character);
  if (unit === undefined) throw new CelError(`index out of range: ${character}`);
  return unit;
}

function offset(text: string, value: CelValue | undefined, otherwise: number): number {
  return value === undefined ? otherwise : unitOf(text, asInt(value));
}

function position(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(characterCount(text.slice(0, unit)));
}

function substring(text: string, from: number, to: number | undefined): string {
  const [start, end] = [unitOf(text, from), to === undefined ? text.length : unitOf(text, to)];
  if (start > end) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  return text.slice(start, end);
}

function split(text: string, separator: string, limit: number): string[] {
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  if (limit === 0) return [];
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

/** Returns the number of parts that leaves this number of replacements; any number if it is negative. */
const replacements = (limit: number): number => (limit < 0 ? -1 : limit + 1);

function format(text: string, values: readonly CelValue[], work: Meter): string {
  let next = 0;
  return text.replace(
    /%(?:%|(?:\.(\d+))?([sdfexXob]))/g,
    (clause, precision: string | undefined, verb: string | undefined) => {
      if (clause === "%%" || verb === undefined) return "%";
      const value = values[next];
      next += 1;
      if (value === undefined) throw new CelError(`index ${next - 1} out of range`);
      if (verb === "s") return shownText(value, work);
      countText(8 * sizeOf(value), work);
      return formatOne(verb, value, precision === undefined ? 6 : Math.min(100, Number(precision)));
    },
  );
}

function formatOne(verb: string, value: CelValue, precision: number): string {
  const number = value instanceof CelUint ? value.value : value;
  const isNumber = typeof number === "bigint" || typeof number === "number";
  if (verb === "d" && isNumber) return String(number);
  if (verb === "f" && isNumber) return Number(number).toFixed(precision);
  if (verb === "e" && isNumber)
    return Number(number)
      .toExponential(precision)
      .replace(/e([+-])(\d)$/, "e$10$2");
  if (verb === "b" && typeof number === "boolean") return number ? "1" : "0";
  if (verb === "b" && typeof number === "bigint") return number.toString(2);
  if (verb === "o" && typeof number === "bigint") return number.toString(8);
  const hex = verb.toLowerCase() === "x" ? hexText(number) : undefined;
  if (hex === undefined) throw new CelError("error during formatting: the clause does not fit the value");
  return verb === "X" ? hex.toUpperCase() : hex;
}

function hexText(value: CelValue): string | undefined {
  if (typeof value === "bigint") return value.toString(16);
  if (typeof value !== "string") return undefined;
  return Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
