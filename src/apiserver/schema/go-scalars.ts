import { formatQuantity, parseQuantity } from "../../meta/quantity.js";

/** Cache of canonical quantities by their text, because the same few are written again and again. */
const quantities = new Map<string, string>();
const mostQuantities = 1000;
const longestQuantity = 64;

/** Returns a quantity in the form that Go prints. Throws an `Error` for an invalid one. */
export function canonicalQuantity(text: string): string {
  let canonical = quantities.get(text);
  if (canonical === undefined) {
    const parsed = parseQuantity(text);
    canonical = isKept(text) ? text : formatQuantity(parsed);
    if (quantities.size >= mostQuantities) quantities.clear();
    if (text.length <= longestQuantity) quantities.set(text, canonical);
  }
  return canonical;
}

/** Rounds a quantity up to thousandths, away from zero. Returns the same text if it has no finer digits. */
export function roundToMilli(text: string): string {
  if (!/[nu.]|[eE]-/.test(text)) return text;
  const { digits, exponent, format } = parseQuantity(text);
  if (exponent >= -3) return text;
  const unit = 10n ** BigInt(-3 - exponent);
  const up = digits % unit === 0n ? 0n : digits > 0n ? 1n : -1n;
  return formatQuantity({ digits: digits / unit + up, exponent: -3, format });
}

const numberPattern = /^[+-]?(\d*)(?:\.(\d*))?((?:[^\d.].*)?)$/;
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/**
 * True if Go prints a valid quantity as it was written: it keeps the text of a short number whose digits need no other
 * suffix, with its sign and leading zeros.
 */
function isKept(text: string): boolean {
  const [, integer = "", fraction = "", suffix = ""] = numberPattern.exec(text) ?? [];
  const whole = integer.replace(/^0+/, "");
  if (whole === "") return false;
  const power = binarySuffixes.indexOf(suffix) + 1;
  if (power > 0) return fraction === "" && whole.length + power * 3 <= 14 && BigInt(whole) % 8n !== 0n;
  const digits = whole + fraction;
  const known = decimalSuffixes.indexOf(suffix);
  const scale = (known < 0 ? Number(suffix.slice(1)) : known * 3 - 9) - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith("000");
}

const rfc3339Pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Recent texts that are canonical times, because an object and those of its workload repeat a few. */
const times = new Set<string>();
const mostTimes = 1000;

/** Returns a time in the form that Go prints, with 0 or 6 digits of a second, or `undefined` for an invalid one. */
export function canonicalTime(text: string, digits: 0 | 6): string | undefined {
  if (digits === 0 && times.has(text)) return text;
  const match = rfc3339Pattern.exec(text);
  const ms = match === null ? NaN : Date.parse(text);
  if (match === null || Number.isNaN(ms) || (digits === 6 && match[7]?.length !== 7)) return undefined;
  const whole = new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19);
  if (digits === 6) return `${whole}.${(match[7] ?? ".").slice(1).padEnd(6, "0").slice(0, 6)}Z`;
  const canonical = `${whole}Z`;
  if (times.size >= mostTimes) times.clear();
  times.add(canonical);
  return canonical;
}
