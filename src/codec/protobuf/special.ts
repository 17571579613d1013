import { utf8Encode } from "../../internal/bytes.js";
import { asciiSlice } from "../../internal/text.js";

/** Range of seconds for the years 0 to 9999, which RFC 3339 can represent. */
const minSeconds = -62167219200;
const maxSeconds = 253402300799;

const seen = new Float64Array(4096).fill(NaN);
const texts: string[] = new Array<string>(4096).fill("");

/**
 * Formats seconds since 1970 as `2026-01-02T03:04:05Z`. Returns `undefined` for a year outside of 0 to 9999. Caches
 * recent results.
 */
export function formatSeconds(seconds: number): string | undefined {
  const slot = seconds & 4095;
  if (seen[slot] === seconds) return texts[slot];
  if (!(seconds >= minSeconds && seconds <= maxSeconds)) return undefined;
  const day = Math.floor(seconds / 86400);
  if (day !== writtenDay) {
    writeDay(day);
  }
  const second = seconds - day * 86400;
  writeTwo(11, Math.floor(second / 3600));
  writeTwo(14, Math.floor(second / 60) % 60);
  writeTwo(17, second % 60);
  const text = asciiSlice(written, 0, written.length);
  seen[slot] = seconds;
  texts[slot] = text;
  return text;
}

/** Text that was written last. For the same day, only the time of day is rewritten. */
const written = utf8Encode("0000-00-00T00:00:00Z");
let writtenDay = NaN;

/** Writes the date of a day since 1970. Using a `Date` would cost more than all the rest of a timestamp. */
function writeDay(day: number): void {
  // Counted from March 1 of the year 0, so that a leap day is the last day of its year. 400 years have 146,097 days.
  const since = day + 719468;
  const era = Math.floor(since / 146097);
  const dayOfEra = since - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  writeTwo(0, Math.floor(year / 100));
  writeTwo(2, year % 100);
  writeTwo(5, month);
  writeTwo(8, dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1);
  writtenDay = day;
}

function writeTwo(at: number, value: number): void {
  const tens = (value / 10) | 0;
  written[at] = 48 + tens;
  written[at + 1] = 48 + value - tens * 10;
}

/** Formats a time as `2026-01-02T03:04:05.000006Z`. Returns `undefined` if it's out of range. */
export function formatMicroTime(seconds: number, nanos: number): string | undefined {
  const text = formatSeconds(seconds);
  if (text === undefined || !(nanos >= 0 && nanos < 1e9)) return undefined;
  return `${text.slice(0, 19)}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;
}

/** Parses an RFC 3339 time into seconds and nanoseconds. Returns `undefined` if it's invalid. */
export function parseTime(text: string): { readonly seconds: number; readonly nanos: number } | undefined {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const fraction = match[1];
  const ms = Date.parse(fraction === undefined ? text : text.replace(/\.\d+/, ""));
  return Number.isNaN(ms)
    ? undefined
    : { seconds: ms / 1000, nanos: fraction === undefined ? 0 : Number(fraction.padEnd(9, "0")) };
}

const durationUnits: readonly (readonly [string, bigint])[] = [
  ["h", 3_600_000_000_000n],
  ["m", 60_000_000_000n],
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["µs", 1000n],
  ["ns", 1n],
];

/** Formats nanoseconds as a Go duration: `1h30m0s`, `1.5s`, `300ms`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  let rest = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (rest < 1_000_000_000n) {
    const [unit, size] = durationUnits.slice(3).find(([, length]) => rest >= length)!;
    return `${sign}${decimal(rest, size)}${unit}`;
  }
  const hours = rest / durationUnits[0]![1];
  rest %= durationUnits[0]![1];
  const minutes = rest / durationUnits[1]![1];
  const seconds = `${decimal(rest % durationUnits[1]![1], durationUnits[2]![1])}s`;
  return (
    sign + (hours > 0n ? `${String(hours)}h${String(minutes)}m` : minutes > 0n ? `${String(minutes)}m` : "") + seconds
  );
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String((value % unit) + unit)
    .slice(1)
    .replace(/0{1,9}$/, "");
  return fraction === "" ? String(value / unit) : `${String(value / unit)}.${fraction}`;
}

/**
 * Parses a Go duration such as `1h30m` or `-1.5s` into nanoseconds. Returns `undefined` if it's invalid or exceeds 64
 * bits.
 */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+$/.exec(text);
  if (match === null) return /^[+-]?0$/.test(text) ? 0n : undefined;
  let total = 0n;
  for (const [, whole, fraction, unit] of text
    .slice(match[1]!.length)
    .matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/gy)) {
    const size = durationUnits.find(([name]) => name === unit!.replace(/^[uμ]/, "µ"))![1];
    // As in Go, digits beyond 64 bits are an overflow in the number, and ignored in the fraction.
    total += BigInt(whole!.replace(/^0+/, "").slice(0, 20)) * size;
    const part = (fraction ?? "").slice(0, 18);
    total += (BigInt(part) * size) / 10n ** BigInt(part.length);
  }
  if (match[1] === "-") total = -total;
  return BigInt.asIntN(64, total) === total ? total : undefined;
}
