import { base64Slice } from "./text.js";

/** Encodes bytes as base64. */
export function base64Encode(bytes: Uint8Array): string {
  return base64Slice(bytes, 0, bytes.length);
}

/** Encodes bytes as URL-safe base64 without padding, as used in tokens and ids. */
export function base64UrlEncode(bytes: Uint8Array): string {
  return base64Encode(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Decodes unpadded URL-safe base64. Returns `undefined` if the text is invalid. */
export function base64UrlDecode(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}
