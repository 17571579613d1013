import { latin1Slice, nativeText } from "./latin1.js";

/** Encodes the bytes from `start` to `end` as base64. Uses Node's faster routine if it exists. */
export function base64Slice(bytes: Uint8Array, start: number, end: number): string {
  return nativeText?.base64Slice?.call(bytes, start, end) ?? btoa(latin1Slice(bytes, start, end));
}

/** Decodes base64. Returns `undefined` if the text is invalid. */
export function base64Decode(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Encodes bytes as base64. */
export function base64Encode(bytes: Uint8Array): string {
  return base64Slice(bytes, 0, bytes.length);
}

/** Encodes bytes as URL-safe base64 without padding, as used in tokens and ids. */
export function base64UrlEncode(bytes: Uint8Array): string {
  return base64Encode(bytes)
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/={1,2}$/, "");
}

/** Decodes unpadded URL-safe base64. Returns `undefined` if the text is invalid. */
export function base64UrlDecode(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}
