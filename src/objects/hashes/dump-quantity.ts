// Go's parsed form of a quantity: a small number with a power of ten, or a decimal of any size.

/** Powers of ten or two by suffix. */
const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const largest = 2n ** 63n - 1n;
/** Largest power of ten that is computed with. */
const largestPower = 999;
/** Length of the longest quantity that is read. An API server shortens those that it stores to less. */
const longestText = 1_000;
/** Digits after the point that a quantity has at most. */
const nano = 9;

interface QuantityText {
  readonly text: string;
  readonly negative: boolean;
  /** Digits before the point, without leading zeros, and after it. */
  readonly whole: string;
  readonly fraction: string;
  readonly binary: boolean;
  readonly exponent: number;
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

/** Returns the text of a parsed quantity, without its type. Throws a `RangeError` if it isn't a quantity. */
export function dumpQuantity(text: string): string {
  if (text === "0") return quantity({ value: 0n, scale: 0, kept: "0", format: "DecimalSI" });
  const parsed = parse(text);
  return small(parsed) ?? large(parsed);
}

function parse(text: string): QuantityText {
  if (text.length > longestText)
    throw new RangeError(`a quantity has at most ${longestText} characters, not ${text.length}`);
  const [number] = /^[+-]?[\d.]*/.exec(text)!;
  const suffix = text.slice(number.length);
  const [digits = "", fraction = "", ...rest] = number.replace(/^[+-]/, "").split(".");
  const binary = Object.hasOwn(binarySuffixes, suffix);
  const isDecimal = Object.hasOwn(decimalSuffixes, suffix);
  const power = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (`${digits}${fraction}` === "" || rest.length > 0 || !(binary || isDecimal || power !== undefined))
    throw new RangeError(`${JSON.stringify(text)} is not a quantity`);
  const exponent = binary
    ? binarySuffixes[suffix]!
    : isDecimal
      ? decimalSuffixes[suffix]!
      : Math.max(-largestPower, Math.min(largestPower, Number(power)));
  const format = binary ? "BinarySI" : isDecimal ? "DecimalSI" : "DecimalExponent";
  return {
    text,
    negative: number.startsWith("-"),
    whole: digits.replace(/^0+(?=\d)/, "") || "0",
    fraction,
    binary,
    exponent,
    format,
  };
}

/** Returns the form of a quantity that Go keeps in 64 bits; `undefined` for others. */
function small({ text, negative, whole, fraction, binary, exponent, format }: QuantityText): string | undefined {
  if (binary && fraction !== "") return undefined;
  const digits = whole.length + fraction.length;
  const precision = binary ? 14 - whole.length - Math.trunc((exponent * 3) / 10) : 18 - digits;
  const scale = (binary ? 0 : exponent) - fraction.length;
  if (precision < 0 || scale < -nano) return undefined;
  const shifted = `${whole}${fraction}`;
  const number = BigInt(shifted);
  const product = binary ? number << BigInt(exponent) : number;
  if (product > largest) return undefined;
  // Go keeps the text where it takes it for the canonical one.
  const isKept = binary
    ? (number & 7n) !== 0n
    : scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
  return quantity({ value: negative ? -product : product, scale, kept: isKept ? text : "", format });
}

/** Returns the form of other quantities: a decimal with nine digits after the point, rounded away from zero. */
function large({ negative, whole, fraction, binary, exponent, format }: QuantityText): string {
  let unscaled = BigInt(`${whole}${fraction}`);
  let scale = fraction.length - (binary ? 0 : exponent);
  if (binary) unscaled <<= BigInt(exponent);
  if (unscaled !== 0n) {
    const one = 10n ** BigInt(Math.abs(nano - scale));
    unscaled = scale <= nano ? unscaled * one : (unscaled + one - 1n) / one;
    scale = nano;
  }
  const isBelowOne = unscaled > 0n && unscaled < 10n ** BigInt(nano);
  if (binary && unscaled > largest * 10n ** BigInt(nano)) [unscaled, scale] = [largest, 0];
  const words: bigint[] = [];
  for (let rest = unscaled; rest > 0n; rest >>= 64n) words.push(rest & 0xffff_ffff_ffff_ffffn);
  const abs = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  const decimal = `{unscaled:(big.Int){neg:(bool)${negative && unscaled > 0n} abs:(big.nat)${abs}} scale:(inf.Scale)${scale}}`;
  return quantity({ value: 0n, scale: 0, decimal, kept: "", format: binary && isBelowOne ? "DecimalSI" : format });
}

interface QuantityFields {
  readonly value: bigint;
  readonly scale: number;
  readonly decimal?: string;
  readonly kept: string;
  readonly format: string;
}

function quantity({ value, scale, decimal = "<nil>", kept, format }: QuantityFields): string {
  const amount = `{value:(int64)${value} scale:(resource.Scale)${scale}}`;
  const parts = [`i:(resource.int64Amount)${amount}`, `d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}}`];
  return `{${parts.join(" ")} s:(string)${kept} Format:(resource.Format)${format}}`;
}
