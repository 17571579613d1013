const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";
/** Each byte as hexadecimal digits. */
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Returns the five random characters that complete a generated name. */
export function randomSuffix(random: () => number): string {
  let text = "";
  for (let i = 0; i < 5; i++) text += nameAlphabet[Math.floor(random() * nameAlphabet.length)]!;
  return text;
}

/** Returns a version 4 UUID. */
export function randomUuid(random: () => number): string {
  const first = digits(bits(random));
  const second = digits((bits(random) & 0xffff0fff) | 0x4000);
  const third = digits((bits(random) & 0x3fffffff) | 0x80000000);
  return `${first}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${digits(bits(random))}`;
}

/** Returns 32 random bits. A call of `random` for each digit would take a new server milliseconds. */
function bits(random: () => number): number {
  return Math.floor(random() * 2 ** 32);
}

/** Returns 32 bits as hexadecimal digits. Engines convert numbers beyond 31 bits slowly. */
function digits(word: number): string {
  return hex[word >>> 24]! + hex[(word >>> 16) & 255]! + hex[(word >>> 8) & 255]! + hex[word & 255]!;
}
