import { compileGoRegExp } from "../../internal/re2.js";
import { CelError, CelUint, type CelValue, isCelList } from "../values/values.js";
import { shownText } from "./lists.js";

const longestText = 3 * 1024 * 1024;

/** Calls a string method; returns `undefined` for an unknown one. Positions count characters. Throws a `CelError`. */
export function callStringMethod(name: string, text: string, args: readonly CelValue[]): CelValue | undefined {
  const [first, second] = args;
  switch (name) {
    case "startsWith":
      return text.startsWith(asText(first));
    case "endsWith":
      return text.endsWith(asText(first));
    case "contains":
      return text.includes(asText(first));
    case "charAt":
      return charAt(text, asInt(first));
    case "indexOf":
      return position(text, text.indexOf(asText(first), offset(text, second, 0)));
    case "lastIndexOf":
      return position(
        text,
        second === undefined
          ? text.lastIndexOf(asText(first))
          : text.lastIndexOf(asText(first), offset(text, second, 0)),
      );
    case "lowerAscii":
      return text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
    case "upperAscii":
      return text.replace(/[a-z]+/g, (part) => part.toUpperCase());
    case "replace":
      return replace(text, asText(first), asText(second), args[2] === undefined ? -1 : asInt(args[2]));
    case "split":
      return split(text, asText(first), second === undefined ? -1 : asInt(second));
    case "substring":
      return substring(text, asInt(first), second === undefined ? undefined : asInt(second));
    case "trim":
      return text.replace(/^\s+|\s+$/gu, "");
    case "find":
      return withPattern(asText(first), (pattern) => pattern.find(text) ?? "");
    case "findAll":
      return withPattern(asText(first), (pattern) => pattern.findAll(text, second === undefined ? -1 : asInt(second)));
    case "format":
      return isCelList(first ?? null) ? format(text, first as CelValue[]) : undefined;
    default:
      return undefined;
  }
}

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
  switch (verb) {
    case "s":
      return shownText(value);
    case "d":
      return typeof number === "bigint" || typeof number === "number" ? String(number) : wrongClause();
    case "f":
      return typeof number === "number" || typeof number === "bigint"
        ? Number(number).toFixed(precision)
        : wrongClause();
    case "e":
      return typeof number === "number" || typeof number === "bigint"
        ? Number(number)
            .toExponential(precision)
            .replace(/e([+-])(\d)$/, "e$10$2")
        : wrongClause();
    case "b":
      return typeof number === "boolean"
        ? number
          ? "1"
          : "0"
        : typeof number === "bigint"
          ? number.toString(2)
          : wrongClause();
    case "o":
      return typeof number === "bigint" ? number.toString(8) : wrongClause();
    default: {
      const hex =
        typeof number === "bigint"
          ? number.toString(16)
          : typeof number === "string"
            ? [...new TextEncoder().encode(number)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
            : wrongClause();
      return verb === "X" ? hex.toUpperCase() : hex;
    }
  }
}

function wrongClause(): never {
  throw new CelError("error during formatting: the clause does not fit the value");
}
