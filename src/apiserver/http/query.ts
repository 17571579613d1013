import { utf8Decode } from "../../internal/bytes.js";

/**
 * Decodes percent-escapes the way Go does: invalid UTF-8 becomes U+FFFD. Returns `undefined` for an escape without two
 * hexadecimal digits.
 */
export function unescapePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    utf8Decode(Uint8Array.from(run.slice(1).split("%"), (digits) => Number.parseInt(digits, 16))),
  );
}

const unescape = (text: string): string | undefined => unescapePercent(text.replace(/\+/g, " "));

/** Parses a query the way Go does: pairs with a semicolon or an invalid escape are dropped. */
export function parseQuery(text: string): URLSearchParams {
  const query = new URLSearchParams();
  if (text === "") return query;
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = unescape(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescape(equals < 0 ? "" : pair.slice(equals + 1));
    if (key !== undefined && value !== undefined) query.append(key, value);
  }
  return query;
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Encodes a decoded path the way Go does: a slash that was escaped becomes a separator. */
export function escapePath(path: string): string {
  return encodeURI(path).replace(/[?#!*'()]/g, percent);
}

/** Encodes a query the way Go does: sorted by name, with `+` for a space. */
export function encodeQuery(query: URLSearchParams): string {
  const escape = (text: string): string =>
    encodeURIComponent(text)
      .replace(/[!*'()]/g, percent)
      .replaceAll("%20", "+");
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return [...sorted].map(([name, value]) => `${escape(name)}=${escape(value)}`).join("&");
}
