import { base64UrlDecode, base64UrlEncode } from "../../internal/base64.js";
import { utf8Decode, utf8Encode } from "../../internal/bytes.js";

/** Position at which a paginated list continues. */
export interface ContinueToken {
  /** Revision of the list; -1 for the latest state, which may be inconsistent with earlier pages. */
  readonly revision: number;
  /** First key of the next page, relative to the listed prefix. */
  readonly start: string;
}

/** Encodes a token as unpadded URL-safe base64. */
export function encodeContinue(token: ContinueToken): string {
  return base64UrlEncode(utf8Encode(JSON.stringify({ v: "meta.k8s.io/v1", rv: token.revision, start: token.start })));
}

/** Decodes a token; returns `undefined` if it is invalid. */
export function decodeContinue(text: string): ContinueToken | undefined {
  const bytes = base64UrlDecode(text);
  if (bytes === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8Decode(bytes));
  } catch {
    return undefined;
  }
  const { v, rv, start } = (parsed ?? {}) as Record<string, unknown>;
  if (v !== "meta.k8s.io/v1" || typeof rv !== "number" || !Number.isInteger(rv) || rv === 0) return undefined;
  if (typeof start !== "string" || start === "" || start.split("/").includes("..") || start.startsWith("/"))
    return undefined;
  return { revision: rv, start };
}
