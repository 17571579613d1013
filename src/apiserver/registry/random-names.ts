const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const hexDigits = "0123456789abcdef";

/** Returns the five random characters that complete a generated name. */
export function randomSuffix(random: () => number): string {
  return pick(nameAlphabet, 5, random);
}

/** Returns a version 4 UUID. */
export function randomUuid(random: () => number): string {
  const hex = pick(hexDigits, 30, random);
  const variant = pick("89ab", 1, random);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18)}`;
}

function pick(alphabet: string, count: number, random: () => number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += alphabet[Math.floor(random() * alphabet.length)]!;
  return text;
}
