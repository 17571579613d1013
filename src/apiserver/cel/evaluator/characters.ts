/** True for texts in which every character is one UTF-16 unit, which need no conversion of positions. */
const isSimple = (text: string): boolean => !/[\ud800-\udbff]/.test(text);

/** Returns the number of characters. */
export function characterCount(text: string): number {
  if (isSimple(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the UTF-16 position of a character; `undefined` beyond the end. */
export function unitPosition(text: string, character: number): number | undefined {
  if (character < 0) return undefined;
  if (isSimple(text)) return character <= text.length ? character : undefined;
  let unit = 0;
  for (let at = 0; at < character; at += 1) {
    if (unit >= text.length) return undefined;
    unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
  }
  return unit;
}
