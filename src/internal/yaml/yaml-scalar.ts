import type { YamlSource } from "./yaml-source.js";

/** Value of a YAML scalar under kubectl's rules. */
export type YamlScalar = string | number | boolean | null;

/** Words with a value. Created by a call that bundlers can drop. */
const words: ReadonlyMap<string, YamlScalar> = /* @__PURE__ */ createWords();

function createWords(): Map<string, YamlScalar> {
  const values: [value: YamlScalar, words: string][] = [
    [true, "y Y yes Yes YES true True TRUE on On ON"],
    [false, "n N no No NO false False FALSE off Off OFF"],
    [null, " ~ null Null NULL"],
    [Number.NaN, ".nan .NaN .NAN"],
    [Number.POSITIVE_INFINITY, ".inf .Inf .INF +.inf +.Inf +.INF"],
    [Number.NEGATIVE_INFINITY, "-.inf -.Inf -.INF"],
  ];
  // The first word for null is empty.
  return new Map(values.flatMap(([value, text]) => text.split(" ").map((word) => [word, value] as const)));
}

const largestUint64 = 18_446_744_073_709_551_615n;
const smallestInt64 = -9_223_372_036_854_775_808n;
const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/**
 * Resolves an unquoted scalar like kubectl does: YAML 1.1 booleans, octal with or without `o`, underscores in numbers.
 * Dates and sexagesimal numbers stay text. Integers beyond 2^53 lose digits, as they do in JSON.
 */
export function resolvePlainScalar(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  if (first === 0x2e) {
    // Like Go, only underscores between two digits.
    const digits = text.replace(/(?<=\d)_(?=\d)/g, "");
    return float.test(digits) ? finiteNumber(digits, text) : text;
  }
  if (first !== 0x2b && first !== 0x2d && !(first >= 0x30 && first <= 0x39)) return text;
  if (text.length < 16 && /^[1-9][0-9]*$/.test(text)) return Number(text);
  const plain = text.replaceAll("_", "");
  const whole = parseInteger(plain);
  if (whole !== undefined) return Number(whole);
  return float.test(plain) ? finiteNumber(plain, text) : text;
}

function finiteNumber(digits: string, text: string): number | string {
  const value = Number(digits);
  return Number.isFinite(value) ? value : text;
}

/** Parses a signed or unsigned 64-bit integer without underscores. Returns `undefined` for anything else. */
function parseInteger(plain: string): bigint | undefined {
  const match = integer.exec(plain);
  if (!match) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const [digits, prefix] =
    hex !== undefined
      ? [hex, "0x"]
      : binary !== undefined
        ? [binary, "0b"]
        : octal !== undefined
          ? [octal, "0o"]
          : [decimal!, ""];
  // No number with more than 64 digits fits, and converting a million of them takes long.
  if (/[^0].{64}/.test(digits)) return undefined;
  const magnitude = BigInt(prefix + digits);
  const value = sign === "-" ? -magnitude : magnitude;
  return value >= smallestInt64 && value <= largestUint64 ? value : undefined;
}

/** Formats a scalar that is a mapping key, like kubectl does. Returns `undefined` for null. `source` is the original text. */
export function formatYamlKey(key: YamlScalar, source: string): string | undefined {
  if (key === null) return undefined;
  if (typeof key !== "number") return String(key);
  if (Number.isNaN(key)) return ".nan";
  if (!Number.isFinite(key)) return key > 0 ? ".inf" : "-.inf";
  // Integers keep the digits of the source. Everything else is printed as a 32-bit float in Go's %g format.
  const whole = parseInteger(source.replaceAll("_", ""));
  if (whole !== undefined) return String(whole);
  return formatGeneral(shortestFloat32(key));
}

/** Formats a number like Go's library: a 64-bit integer with all its digits, any other in Go's %g format. */
export function formatYamlNumber(value: number): string {
  const isWhole = Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 64;
  return isWhole || !Number.isFinite(value) ? String(value) : formatGeneral(value.toExponential());
}

/** Formats a number in exponent form, such as `1.5e+6`, in Go's %g format. */
function formatGeneral(text: string): string {
  const [mantissa, power] = text.split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(Number(text));
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Returns the shortest exponent form that gives the same 32-bit float. */
function shortestFloat32(value: number): string {
  const target = Math.fround(value);
  for (let digits = 0; digits < 9; digits++) {
    const text = target.toExponential(digits);
    if (Math.fround(Number(text)) === target) return text;
  }
  return target.toExponential(9);
}

/**
 * Returns the value of an unquoted scalar, or of one with a tag of YAML's own: `str`, `int`, `binary` and others. Throws
 * the error of `source` for a text that doesn't fit.
 */
export function resolveScalar(text: string, tag: string | undefined, source: YamlSource, line: number): YamlScalar {
  if (tag === "str") return text;
  if (tag === "binary") return decodeBinary(text, source, line);
  const value = resolvePlainScalar(text);
  if (typeof value === "number" && !Number.isFinite(value)) source.fail(`${text} is not a valid JSON number`, line);
  if (tag === undefined || tag === "timestamp") return value;
  const type =
    value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value === "string" ? "str" : "float";
  const fits = tag === type || (tag === "int" && Number.isInteger(value));
  return fits ? value : source.fail(`the value is not a valid !!${tag}`, line);
}

function decodeBinary(text: string, source: YamlSource, line: number): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    // atob's message adds nothing to the line number.
    return source.fail("the value is not valid base64", line);
  }
}
