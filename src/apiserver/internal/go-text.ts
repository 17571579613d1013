const escaped = /[<>&\u2028\u2029]/;
const escapedAll = /[<>&\u2028\u2029]/g;

/** Encodes a scalar as JSON like Go: `<`, `>`, `&` and the two line separators are escaped. */
export function canonicalText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? escapeJson(text) : text;
}

/** Encodes JSON data like Go, keys in their order; `indent` is the number of spaces per level, 0 for a single line. */
export function goJsonText(value: unknown, indent = 0): string {
  return escapeJson(JSON.stringify(value, null, indent) ?? "null");
}

function escapeJson(text: string): string {
  return escaped.test(text)
    ? text.replace(escapedAll, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
}

/** Maximum length of input that an error shows, in characters. */
export const maxShown: number = 4 * 1024;

/** Shortens input for an error and says so, because an error may repeat it several times. */
export function boundText(text: string, max: number = maxShown): string {
  if (text.length <= max) return text;
  // Don't split a pair of surrogates.
  const end = /[\ud800-\udbff]/.test(text[max - 1]!) ? max - 1 : max;
  return `${text.slice(0, end)}… (${text.length} characters in total)`;
}

/**
 * Encodes JSON data like `goJsonText` for an error, and shortens it. Takes time in proportion to the result, because
 * many errors may show the same long list.
 */
export function goJsonStart(value: object): string {
  const room = { left: maxShown };
  const start = copyStart(value, room);
  return room.left > 0 ? goJsonText(value) : `${goJsonText(start).slice(0, maxShown)}…`;
}

/** Copies the start of a value, until its text fills the room. */
function copyStart(value: unknown, room: { left: number }): unknown {
  if (typeof value === "string") {
    const text = value.slice(0, Math.max(0, room.left));
    room.left -= value.length + 2;
    return text;
  }
  room.left -= 2;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (room.left <= 0) break;
      items.push(copyStart(item, room));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (room.left <= 0) break;
    room.left -= key.length + 3;
    members.push([key, copyStart((value as Record<string, unknown>)[key], room)]);
  }
  return Object.fromEntries(members);
}

/** Quotes a text for an error and escapes all control characters. Shortens long texts. */
export function goQuote(text: string): string {
  return JSON.stringify(boundText(text)).replace(
    /[\x7f-\x9f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}
