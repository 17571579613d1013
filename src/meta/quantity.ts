/**
 * The number in a quantity, exactly: `digits` times ten to the power of `exponent`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export interface ParsedQuantity {
  /** The number's digits, with its sign. */
  readonly digits: bigint;
  /** Power of ten. */
  readonly exponent: number;
  /** How it was written: with `k`, `M` and so on, with `Ki`, `Mi` and so on, or with `e3`. */
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

const SHAPE = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Reads a quantity. Throws a `TypeError` in the words of the API server where it is none. */
export function parseQuantity(text: string): ParsedQuantity {
  const match = SHAPE.exec(text);
  const number = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(match?.[1] ?? "");
  if (match === null || number === null || `${number[2] ?? ""}${number[3] ?? ""}` === "") {
    throw new TypeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const [, sign, whole = "", fraction = ""] = number;
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  const suffix = match[2] ?? "";
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return round({ digits, exponent: (decimal - 3) * 3 - fraction.length, format: "DecimalSI" });
  const binary = BINARY.indexOf(suffix);
  if (binary >= 0)
    return round({ digits: digits * 1024n ** BigInt(binary), exponent: -fraction.length, format: "BinarySI" });
  const exponent = /^[eE]([-+]?\d{1,9})$/.exec(suffix);
  if (exponent === null) throw new TypeError("unable to parse quantity's suffix");
  return round({ digits, exponent: Number(exponent[1]) - fraction.length, format: "DecimalExponent" });
}

const MOST = 2n ** 63n - 1n;

/** What is finer than a nano is rounded away from zero; what no 64-bit integer holds becomes the largest. */
function round(quantity: ParsedQuantity): ParsedQuantity {
  if (quantity.exponent > 30)
    return quantity.digits > 0n ? { ...quantity, digits: MOST, exponent: 0 } : { ...quantity, exponent: 30 };
  if (quantity.exponent >= 0 && quantity.digits * 10n ** BigInt(quantity.exponent) > MOST)
    return { ...quantity, digits: MOST, exponent: 0 };
  const excess = -9 - quantity.exponent;
  if (excess <= 0) return quantity;
  if (excess > 100)
    return { ...quantity, digits: quantity.digits === 0n ? 0n : quantity.digits > 0n ? 1n : -1n, exponent: -9 };
  const unit = 10n ** BigInt(excess);
  const { digits } = quantity;
  const up = digits % unit === 0n ? 0n : digits > 0n ? 1n : -1n;
  return { ...quantity, digits: digits / unit + up, exponent: -9 };
}

/** Writes a quantity in its canonical form: no fraction, and the largest suffix that leaves none. */
export function formatQuantity(quantity: ParsedQuantity): string {
  let { digits, exponent } = quantity;
  if (digits === 0n) return "0";
  const fine = exponent < 0 && digits % 10n ** BigInt(-exponent) !== 0n;
  if (quantity.format === "BinarySI" && !fine) {
    const value = exponent >= 0 ? digits * 10n ** BigInt(exponent) : digits / 10n ** BigInt(-exponent);
    if (value <= -1024n || value >= 1024n) {
      let [rest, power] = [value, 0];
      while (rest % 1024n === 0n && power < BINARY.length - 1) [rest, power] = [rest / 1024n, power + 1];
      return `${String(rest)}${BINARY[power] ?? ""}`;
    }
  }
  while (digits % 10n === 0n) [digits, exponent] = [digits / 10n, exponent + 1];
  while (exponent % 3 !== 0) [digits, exponent] = [digits * 10n, exponent - 1];
  if (quantity.format === "DecimalExponent")
    return exponent === 0 ? String(digits) : `${String(digits)}e${String(exponent)}`;
  while (exponent > 18) [digits, exponent] = [digits * 1000n, exponent - 3];
  return `${String(digits)}${DECIMAL[exponent / 3 + 3] ?? ""}`;
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: string | ParsedQuantity, b: string | ParsedQuantity): number {
  const difference = addQuantities(asParsed(a), negate(asParsed(b))).digits;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The sum, in the format of the first. */
export function addQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (one: ParsedQuantity): bigint => one.digits * 10n ** BigInt(one.exponent - exponent);
  return { digits: scale(a) + scale(b), exponent, format: a.digits === 0n ? b.format : a.format };
}

/** The difference, in the format of the first. */
export function subtractQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity {
  return addQuantities(a, negate(b));
}

/** The quantity as a number, which loses what a number can't hold. */
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
