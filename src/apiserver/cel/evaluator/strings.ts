import { compileGoRegExp } from "../../internal/re2.js";
import { CelError, CelUint, type CelValue, isCelList } from "../values/values.js";
import { shownText } from "./lists.js";

const longestText = 3 * 1024 * 1024;

/** Calls a string method; returns `undefined` for an unknown one. Positions count characters. Throws a `CelError`. */
export function callStringMethod(name: string, text: string, args: readonly CelValue[]): CelValue | undefined {
  return Object.hasOwn(methods, name) ? methods[name]!(text, ...args) : undefined;
}

type Argument = CelValue | undefined;

const methods: Readonly<
  Record<string, (text: string, first?: Argument, second?: Argument, third?: Argument) => Argument>
> = {
  startsWith: (text, part) => text.startsWith(asText(part)),
  endsWith: (text, part) => text.endsWith(asText(part)),
  contains: (text, part) => text.includes(asText(part)),
  charAt: (text, at) => charAt(text, asInt(at)),
  indexOf: (text, part, from) => position(text, text.indexOf(asText(part), offset(text, from, 0))),
  lastIndexOf: (text, part, from) => position(text, text.lastIndexOf(asText(part), offset(text, from, text.length))),
  lowerAscii: (text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  upperAscii: (text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
  replace: (text, old, now, limit) => replace(text, asText(old), asText(now), limit === undefined ? -1 : asInt(limit)),
  split: (text, separator, limit) => split(text, asText(separator), limit === undefined ? -1 : asInt(limit)),
  substring: (text, from, to) => substring(text, asInt(from), to === undefined ? undefined : asInt(to)),
  trim: (text) => text.replace(/^\s+|\s+$/gu, ""),
  find: (text, regex) => withPattern(asText(regex), (pattern) => pattern.find(text) ?? ""),
  findAll: (text, regex, limit) =>
    withPattern(asText(regex), (pattern) => pattern.findAll(text, limit === undefined ? -1 : asInt(limit))),
  format: (text, values) => (isCelList(values ?? null) ? format(text, values as CelValue[]) : undefined),
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
  const characters = [...text];
  if (at < 0 || at > characters.length) throw new CelError(`index out of range: ${at}`);
  return characters[at] ?? "";
}

function offset(text: string, value: CelValue | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  const characters = [...text];
  const at = asInt(value);
  if (at < 0 || at > characters.length) throw new CelError(`index out of range: ${at}`);
  return characters.slice(0, at).join("").length;
}

function position(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt([...text.slice(0, unit)].length);
}

function substring(text: string, from: number, to: number | undefined): string {
  const characters = [...text];
  const end = to ?? characters.length;
  if (from < 0 || from > characters.length || end < 0 || end > characters.length)
    throw new CelError(`index out of range: ${from < 0 || from > characters.length ? from : end}`);
  if (from > end) throw new CelError(`invalid substring range. start: ${from}, end: ${end}`);
  return characters.slice(from, end).join("");
}

function split(text: string, separator: string, limit: number): CelValue[] {
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  if (limit === 0) return [];
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function replace(text: string, old: string, now: string, limit: number): string {
  const parts = split(text, old, limit < 0 ? -1 : limit + 1) as string[];
  const length = text.length + (parts.length - 1) * now.length;
  if (length > longestText) throw new CelError("operation cancelled: actual cost limit exceeded");
  return parts.join(now);
}

function format(text: string, values: readonly CelValue[]): string {
  let next = 0;
  return text.replace(
    /%(?:%|(?:\.(\d+))?([sdfexXob]))/g,
    (clause, precision: string | undefined, verb: string | undefined) => {
      if (clause === "%%" || verb === undefined) return "%";
      const value = values[next];
      next += 1;
      if (value === undefined) throw new CelError(`index ${next - 1} out of range`);
      return formatOne(verb, value, precision === undefined ? 6 : Math.min(100, Number(precision)));
    },
  );
}

function formatOne(verb: string, value: CelValue, precision: number): string {
  const number = value instanceof CelUint ? value.value : value;
  const isNumber = typeof number === "bigint" || typeof number === "number";
  if (verb === "s") return shownText(value);
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
  return [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
