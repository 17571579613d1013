import { formatQuantity, parseQuantity } from "../../meta/quantity.js";

/** Cache of canonical quantities by their text, because the same few are written again and again. */
const quantities = new Map<string, string>();
const mostQuantities = 1000;

/** Returns a quantity in the form that Go prints. Throws an `Error` for an invalid one. */
export function canonicalQuantity(text: string): string {
  let canonical = quantities.get(text);
  if (canonical === undefined) {
    canonical = formatQuantity(parseQuantity(text));
    if (quantities.size >= mostQuantities) quantities.clear();
    quantities.set(text, canonical);
  }
  return canonical;
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
