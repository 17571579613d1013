import { headerBytes } from "../../internal/header-text.js";
import type { Filter } from "./filter.js";

const longest = 4 * 1024;
const shorter = 256;

/**
 * Returns the value of a Warning header, or `undefined` if the text can't be sent. Header values are bytes, so
 * non-ASCII characters are encoded byte by byte.
 */
function headerOf(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return undefined;
  return `299 - "${headerBytes(text.replace(/[\\"]/g, "\\$&"))}"`;
}

/** Truncates warnings whose total length is too large, the way kube-apiserver does. */
function shortened(texts: readonly string[]): string[] {
  const runes = texts.map((text) => [...text]);
  let end = 0;
  for (let written = 0; end < runes.length && written + runes[end]!.length <= longest; end += 1)
    written += runes[end]!.length;
  if (end === runes.length) return [...texts];
  const kept: string[] = [];
  let written = 0;
  for (const [at, each] of runes.entries()) {
    if (at > end && written >= longest) break;
    const short = each.slice(0, shorter);
    written += short.length;
    kept.push(short.join(""));
  }
  return kept;
}

/** Adds the collected warnings to the response as `Warning` headers. */
export const warnings: Filter = async (context, next) => {
  const response = await next(context);
  for (const text of shortened(context.warnings)) {
    const value = headerOf(text);
    if (value !== undefined) response.headers.push(["Warning", value]);
  }
  return response;
};
