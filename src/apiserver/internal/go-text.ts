const escaped = /[<>&\u2028\u2029]/;
const escapedAll = /[<>&\u2028\u2029]/g;

/** JSON of a scalar as Go writes it: `<`, `>`, `&` and the two line separators are escaped. */
export function canonicalText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? escapeJson(text) : text;
}

/** JSON data as Go writes it, keys in the order they have; `indent` blanks for each level, or all in one line. */
export function goJsonText(value: unknown, indent = 0): string {
  return escapeJson(JSON.stringify(value, null, indent) ?? "null");
}

function escapeJson(text: string): string {
  return escaped.test(text)
    ? text.replace(escapedAll, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
}

/** A text in quotes, without any control character. */
export function goQuote(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
