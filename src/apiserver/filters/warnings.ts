import type { Filter } from "./filter.js";

const longest = 4 * 1024;
const shorter = 256;

/** A text as the quoted part of a Warning header. */
function quoted(text: string): string {
  return `"${text.replace(/[\u0000-\u001f\u007f]/g, " ").replace(/[\\"]/g, "\\$&")}"`;
}

/** Adds the collected warnings to the answer as `Warning` headers. */
export const warnings: Filter = async (context, next) => {
  const response = await next(context);
  let total = 0;
  const long = context.warnings.reduce((sum, text) => sum + text.length, 0) > longest;
  for (const text of context.warnings) {
    const value = `299 - ${quoted(long ? text.slice(0, shorter) : text)}`;
    total += value.length;
    if (total > longest) break;
    response.headers.push(["Warning", value]);
  }
  return response;
};
