/**
 * Returns a text without the given character at its end. A pattern such as `/x+$/` takes quadratic time, because it's
 * tried at each character of a run.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
