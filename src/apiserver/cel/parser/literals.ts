import { pushAll } from "../../../internal/push-all.js";
import { CelUint } from "../values/values.js";

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "`": 96,
  "?": 63,
};

/** Parses an integer literal; returns `undefined` if it is out of range. */
export function intLiteral(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  const size = BigInt(negative ? text.slice(1) : text);
  const value = negative ? -size : size;
  return value > 9_223_372_036_854_775_807n || value < -9_223_372_036_854_775_808n ? undefined : value;
}

/** Parses an unsigned integer literal; returns `undefined` if it is out of range. */
export function uintLiteral(text: string): CelUint | undefined {
  const value = BigInt(text.slice(0, -1));
  return value > 18_446_744_073_709_551_615n ? undefined : new CelUint(value);
}

/** Parses a string literal; returns `undefined` if it contains an invalid code point. */
export function stringLiteral(text: string): string | undefined {
  const body = bodyOf(text);
  if (body.raw || !body.text.includes("\\")) return body.text;
  let out = "";
  for (const [, escaped, plain] of body.text.matchAll(
    /\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|[^])|([^\\]+)/g,
  )) {
    const code = escaped === undefined ? undefined : codeOf(escaped);
    if (code !== undefined && (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))) return undefined;
    out += code === undefined ? plain! : String.fromCodePoint(code);
  }
  return out;
}

/** Parses a bytes literal; returns `undefined` if it contains Unicode escapes. */
export function bytesLiteral(text: string): Uint8Array | undefined {
  const body = bodyOf(text.slice(1));
  const encoder = new TextEncoder();
  if (body.raw) return encoder.encode(body.text);
  const out: number[] = [];
  for (const [, escaped, plain] of body.text.matchAll(/\\([xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|[^])|([^\\]+)/g)) {
    if (escaped === "u" || escaped === "U") return undefined;
    if (escaped === undefined) pushAll(out, encoder.encode(plain));
    else out.push(codeOf(escaped) & 0xff);
  }
  return Uint8Array.from(out);
}

function codeOf(escaped: string): number {
  if (Object.hasOwn(simple, escaped)) return simple[escaped]!;
  return /^[0-3]/.test(escaped) ? Number.parseInt(escaped, 8) : Number.parseInt(escaped.slice(1), 16);
}

function bodyOf(text: string): { text: string; raw: boolean } {
  const raw = /^[rR]/.test(text);
  const bare = (raw ? text.slice(1) : text).replace(/\r\n?/g, "\n");
  const long = bare.length >= 6 && (bare.startsWith('"""') || bare.startsWith("'''"));
  return { text: long ? bare.slice(3, -3) : bare.slice(1, -1), raw };
}
