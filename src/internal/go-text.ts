/** JSON of a scalar as Go writes it: `<`, `>`, `&` and the two line separators are escaped. */
export function canonicalText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  if (typeof value !== "string" || !/[<>&\u2028\u2029]/.test(value)) return text;
  return text.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
