import { isJsonObject } from "./json-value.js";

/** JSON data as Go's `%v` shows it in messages: `map[a:1 b:[x y]]`, keys in order. */
export function goFormat(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goFormat).join(" ")}]`;
  if (isJsonObject(value)) {
    return `map[${Object.keys(value)
      .sort()
      .map((key) => `${key}:${goFormat(value[key])}`)
      .join(" ")}]`;
  }
  if (typeof value === "number") return goNumber(value);
  return String(value);
}

/** JSON data as Go's `%s` shows it: what is no text is told of as such. */
export function goText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return `%!s(${goNumberType(value)}=${goNumber(value)})`;
  return typeof value === "boolean" ? `%!s(bool=${String(value)})` : goFormat(value);
}

/** What Go reads a number of JSON as. */
export function goNumberType(value: number): "int64" | "float64" {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "int64" : "float64";
}

/** Go writes floats of large or small size as `1e+06`, integers as they are. */
function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21)
    return value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 0 });
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
