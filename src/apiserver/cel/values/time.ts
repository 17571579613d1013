import { CelError } from "./values.js";

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Parses a duration such as `1h30m` to nanoseconds. Throws a `CelError`. */
export function parseDuration(text: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return 0n;
  let total = 0n;
  if (rest === "") throw new CelError(`time: invalid duration ${JSON.stringify(text)}`);
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (match === null || (match[1] === "" && (match[2] ?? "") === ""))
      throw new CelError(`time: invalid duration ${JSON.stringify(text)}`);
    const unit = units[match[3]!]!;
    const fraction = (match[2] ?? "").slice(0, 18);
    total +=
      BigInt(match[1] === "" ? 0 : match[1]!) * unit +
      (fraction === "" ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length));
    rest = rest.slice(match[0].length);
  }
  return sign * total;
}

/** Formats a duration in seconds, such as `5400s`. */
export function formatDuration(ns: bigint): string {
  const sign = ns < 0n ? "-" : "";
  const absolute = ns < 0n ? -ns : ns;
  const fraction = (absolute % 1_000_000_000n)
    .toString()
    .padStart(9, "0")
    .replace(/0{1,9}$/, "");
  return `${sign}${absolute / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}s`;
}

/** Parses an RFC 3339 time to nanoseconds since the epoch. Throws a `CelError`. */
export function parseTimestamp(text: string): bigint {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?\d*([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  const ms = match === null ? NaN : Date.parse(`${match[1]!}T${match[2]!}${match[4]!.toUpperCase()}`);
  if (Number.isNaN(ms))
    throw new CelError(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`);
  return BigInt(ms) * 1_000_000n + BigInt((match?.[3] ?? "").padEnd(9, "0"));
}

/** Formats a time as RFC 3339. */
export function formatTimestamp(ns: bigint): string {
  const seconds = ns >= 0n ? ns / 1_000_000_000n : -((-ns + 999_999_999n) / 1_000_000_000n);
  const fraction = (ns - seconds * 1_000_000_000n)
    .toString()
    .padStart(9, "0")
    .replace(/0{1,9}$/, "");
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Returns the part of a time that a method such as `getHours()` selects, in a zone such as `+02:00` or by name. */
export function timestampPart(ns: bigint, method: string, zone: string): bigint | undefined {
  const shifted = new Date(Number(ns / 1_000_000n) + zoneOffsetMs(ns, zone));
  switch (method) {
    case "getFullYear":
      return BigInt(shifted.getUTCFullYear());
    case "getMonth":
      return BigInt(shifted.getUTCMonth());
    case "getDayOfMonth":
      return BigInt(shifted.getUTCDate() - 1);
    case "getDate":
      return BigInt(shifted.getUTCDate());
    case "getDayOfWeek":
      return BigInt(shifted.getUTCDay());
    case "getDayOfYear":
      return BigInt(
        Math.floor(
          (Date.UTC(shifted.getUTCFullYear(), shifted.getUTCMonth(), shifted.getUTCDate()) -
            Date.UTC(shifted.getUTCFullYear(), 0, 1)) /
            86_400_000,
        ),
      );
    case "getHours":
      return BigInt(shifted.getUTCHours());
    case "getMinutes":
      return BigInt(shifted.getUTCMinutes());
    case "getSeconds":
      return BigInt(shifted.getUTCSeconds());
    case "getMilliseconds":
      return BigInt(shifted.getUTCMilliseconds());
    default:
      return undefined;
  }
}

function zoneOffsetMs(ns: bigint, zone: string): number {
  if (zone === "" || zone === "UTC") return 0;
  const fixed = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (fixed !== null) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  try {
    const time = Number(ns / 1_000_000n);
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    }).formatToParts(time);
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
    return (
      Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")) -
      Math.floor(time / 1000) * 1000
    );
  } catch {
    throw new CelError(`unknown time zone ${zone}`); // The platform throws a RangeError for unknown zones.
  }
}
