/**
 * Exact value of a quantity: `digits` × 10^`exponent`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export interface ParsedQuantity {
  /** Digits of the number, with its sign. */
  readonly digits: bigint;
  /** Power of ten. */
  readonly exponent: number;
  /** Suffix style: `k`, `M`, … (`DecimalSI`), `Ki`, `Mi`, … (`BinarySI`) or `e3` (`DecimalExponent`). */
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

// The suffix doesn't begin with a digit: a long number could otherwise be divided at each digit, in quadratic time.
const quantityPattern = /^([+-]?[0-9.]+)((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/**
 * Parses a quantity such as `500m` or `1Gi`. Throws a `TypeError` with the API server's message if it is invalid.
 *
 * @example
 * ```ts
 * import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "kubestream/objects";
 *
 * const total = addQuantities(parseQuantity("500Mi"), parseQuantity("1.5Gi"));
 * console.log(formatQuantity(total)); // 2036Mi
 * console.log(compareQuantities("1", "1000m")); // 0
 * ```
 */
export function parseQuantity(text: string): ParsedQuantity {
  const match = quantityPattern.exec(text);
  const number = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(match?.[1] ?? "");
  if (match === null || number === null || `${number[2] ?? ""}${number[3] ?? ""}` === "") {
    throw new TypeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const [, sign, whole = "", fraction = ""] = number;
  const significant = shorten(`${whole}${fraction}`.replace(/^0+/, ""));
  const digits = BigInt(significant.text) * (sign === "-" ? -1n : 1n);
  const shift = significant.dropped - fraction.length;
  const suffix = match[2] ?? "";
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return round({ digits, exponent: (decimal - 3) * 3 + shift, format: "DecimalSI" });
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return round({ digits: digits * 1024n ** BigInt(binary), exponent: shift, format: "BinarySI" });
  const exponent = /^[eE]([-+]?\d{1,9})$/.exec(suffix);
  if (exponent === null) throw new TypeError("unable to parse quantity's suffix");
  return round({ digits, exponent: Number(exponent[1]) + shift, format: "DecimalExponent" });
}

/** Number of digits that are computed with: more are beyond 64 bits, or far below a nano. */
const mostDigits = 120;

/** Shortens a long number: below a nano, it only matters whether the rest is zero. */
function shorten(text: string): { readonly text: string; readonly dropped: number } {
  if (text.length <= mostDigits) return { text, dropped: 0 };
  const rest = /[1-9]/.test(text.slice(mostDigits)) ? "1" : "0";
  return { text: text.slice(0, mostDigits) + rest, dropped: text.length - mostDigits - 1 };
}

const maxInt64 = 2n ** 63n - 1n;
/** Largest power of ten: greater ones would take too long to compute with. */
const mostExponent = 120;

/**
 * Rounds like the API server: digits below a nano are rounded away from zero, and binary values beyond 64 bits
 * become the maximum.
 */
function round(quantity: ParsedQuantity): ParsedQuantity {
  if (quantity.exponent > mostExponent) return { ...quantity, exponent: mostExponent };
  if (quantity.format === "BinarySI" && quantity.exponent >= 0) {
    const value = quantity.digits * 10n ** BigInt(quantity.exponent);
    if (value > maxInt64) return { ...quantity, digits: maxInt64, exponent: 0 };
    if (value < -maxInt64) return { ...quantity, digits: -maxInt64, exponent: 0 };
  }
  const excess = -9 - quantity.exponent;
  if (excess <= 0) return quantity;
  if (excess > 2 * mostDigits)
    return { ...quantity, digits: quantity.digits === 0n ? 0n : quantity.digits > 0n ? 1n : -1n, exponent: -9 };
  const unit = 10n ** BigInt(excess);
  const { digits } = quantity;
  const up = digits % unit === 0n ? 0n : digits > 0n ? 1n : -1n;
  return { ...quantity, digits: digits / unit + up, exponent: -9 };
}

/** Formats a quantity in canonical form: without a fraction, and with the largest suffix that allows it. */
export function formatQuantity(quantity: ParsedQuantity): string {
  let { digits, exponent } = quantity;
  if (digits === 0n) return "0";
  const fine = exponent < 0 && digits % 10n ** BigInt(-exponent) !== 0n;
  if (quantity.format === "BinarySI" && !fine) {
    const value = exponent >= 0 ? digits * 10n ** BigInt(exponent) : digits / 10n ** BigInt(-exponent);
    if (value <= -1024n || value >= 1024n) {
      let [rest, power] = [value, 0];
      while (rest % 1024n === 0n && power < binarySuffixes.length - 1) [rest, power] = [rest / 1024n, power + 1];
      return `${String(rest)}${binarySuffixes[power] ?? ""}`;
    }
  }
  while (digits % 10n === 0n) [digits, exponent] = [digits / 10n, exponent + 1];
  while (exponent % 3 !== 0) [digits, exponent] = [digits * 10n, exponent - 1];
  if (quantity.format === "DecimalExponent")
    return exponent === 0 ? String(digits) : `${String(digits)}e${String(exponent)}`;
  while (exponent > 18) [digits, exponent] = [digits * 1000n, exponent - 3];
  return `${String(digits)}${decimalSuffixes[exponent / 3 + 3] ?? ""}`;
}

/** Compares two quantities: negative if `a` is less than `b`, 0 if they are equal, positive if it is greater. */
export function compareQuantities(a: string | ParsedQuantity, b: string | ParsedQuantity): number {
  const difference = addQuantities(asParsed(a), negate(asParsed(b))).digits;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Returns the sum, in the format of `a`. */
export function addQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (one: ParsedQuantity): bigint => one.digits * 10n ** BigInt(one.exponent - exponent);
  return { digits: scale(a) + scale(b), exponent, format: a.digits === 0n ? b.format : a.format };
}

/** Returns the difference, in the format of `a`. */
export function subtractQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  return addQuantities(a, negate(b));
}

/** Converts a quantity to a number, which may lose precision. */
export function quantityToNumber(quantity: string | ParsedQuantity): number {
  const { digits, exponent } = asParsed(quantity);
  return Number(`${String(digits)}e${String(exponent)}`);
}

function asParsed(quantity: string | ParsedQuantity): ParsedQuantity {
  return typeof quantity === "string" ? parseQuantity(quantity) : quantity;
}

function negate(quantity: ParsedQuantity): ParsedQuantity {
  return { ...quantity, digits: -quantity.digits };
}
