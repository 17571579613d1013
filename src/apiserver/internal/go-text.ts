import { utf8Encode } from "../../internal/bytes.js";

const escaped = /[<>&\u2028\u2029]/;
const escapedAll = /[<>&\u2028\u2029]/g;

/** JSON of a scalar as Go writes it: `<`, `>`, `&` and the two line separators are escaped. */
export function canonicalText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? escapeJson(text) : text;
}

/** JSON data as Go writes it, keys in the order they have; `indent` blanks for each level, or all in one line. */
export function goJsonText(value: unknown, indent = 0): string {
  return escapeJson(JSON.stringify(value, null, indent) ?? "null");
}

function escapeJson(text: string): string {
  return escaped.test(text)
    ? text.replace(escapedAll, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
}

const named: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A text in quotes as Go's `%q` shows it: what cannot be printed is escaped, all else stays. */
export function goQuote(text: string): string {
  return `"${text.replace(unprintable, (character) => {
    const name = named[character];
    if (name !== undefined) return name;
    const point = character.codePointAt(0)!;
    if (point < 0x80) return `\\x${point.toString(16).padStart(2, "0")}`;
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
  })}"`;
}

/** A text as Go's package of times quotes it: the bytes of all that is not ASCII, and of control characters before the space. */
export function goTimeQuote(text: string): string {
  const bytes = (character: string): string =>
    [...utf8Encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return `"${text.replaceAll(/["\\]|[^ -\x7f]/gu, (character) => (character === '"' || character === "\\" ? `\\${character}` : bytes(character)))}"`;
}

/** A float as Go's `%v` shows it: with an exponent from a million on, and below a ten-thousandth. */
export function goFloatText(value: number): string {
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  return value === 0 || (power >= -4 && power < 6)
    ? String(value)
    : `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
