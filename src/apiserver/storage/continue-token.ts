import { base64UrlEncode } from "../../internal/base64.js";
import { utf8Decode, utf8Encode } from "../../internal/bytes.js";
import { parseGoJson } from "../internal/go-json.js";

/** Where a list goes on. */
export interface ContinueToken {
  /** Revision of the snapshot; -1 for the latest state, inconsistent with the pages before. */
  readonly revision: number;
  /** First key that was not listed, relative to the listed prefix. */
  readonly start: string;
}

/** Text of a token: unpadded URL-safe base64. */
export function encodeContinue(token: ContinueToken): string {
  return base64UrlEncode(utf8Encode(JSON.stringify({ v: "meta.k8s.io/v1", rv: token.revision, start: token.start })));
}

/** Reads a token; answers with the reason where it is none. */
export function decodeContinue(text: string): ContinueToken | string {
  const readable = /^[A-Za-z0-9_-]*/.exec(text)![0].length;
  if (readable < text.length) return `continue key is not valid: illegal base64 data at input byte ${readable}`;
  if (text.length % 4 === 1) return `continue key is not valid: illegal base64 data at input byte ${text.length - 1}`;
  let parsed: unknown;
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    // An error tells the byte that is wrong, whatever character it would be a part of.
    if (binary >= "\u0080")
      return `continue key is not valid: invalid character '${binary[0]!}' looking for beginning of value`;
    parsed = parseGoJson(utf8Decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))).value;
  } catch (error) {
    return `continue key is not valid: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (parsed !== null && (typeof parsed !== "object" || Array.isArray(parsed))) {
    const type = Array.isArray(parsed) ? "array" : typeof parsed === "boolean" ? "bool" : typeof parsed;
    return `continue key is not valid: json: cannot unmarshal ${type} into Go value of type storage.continueToken`;
  }
  const { v, rv, start } = (parsed ?? {}) as Record<string, unknown>;
  if (v !== "meta.k8s.io/v1")
    return `continue key is not valid: server does not recognize this encoded version ${typeof v === "string" ? v : ""}`;
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0)
    return "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)";
  if (typeof start !== "string" || start === "")
    return "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)";
  if (start.split("/").includes("..") || start.startsWith("/")) return `continue key is not valid: ${start}`;
  return { revision: rv, start };
}
