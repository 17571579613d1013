import { utf8Encode } from "../../internal/bytes.js";
import type { Filter } from "./filter.js";

const longest = 4 * 1024;
const shorter = 256;

/** The value of a Warning header; what is no plain text cannot be told. Headers are bytes: beyond ASCII each of them is a character. */
function headerOf(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return undefined;
  return `299 - "${String.fromCharCode(...utf8Encode(text.replace(/[\\"]/g, "\\$&")))}"`;
}

/** The warnings as they are told: all of them cut short once they are too long together, and none after that is enough. */
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

/** Adds the collected warnings to the answer as `Warning` headers. */
export const warnings: Filter = async (context, next) => {
  const response = await next(context);
  for (const text of shortened(context.warnings)) {
    const value = headerOf(text);
    if (value !== undefined) response.headers.push(["Warning", value]);
  }
  return response;
};
