import { base64Slice } from "./text.js";

/** Base64 text of all bytes. */
export function base64Encode(bytes: Uint8Array): string {
  return base64Slice(bytes, 0, bytes.length);
}

/** URL-safe base64 without padding, as tokens and ids have it. */
export function base64UrlEncode(bytes: Uint8Array): string {
  return base64Encode(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Bytes of an unpadded URL-safe base64 text, or `undefined` if it is none. */
export function base64UrlDecode(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}
