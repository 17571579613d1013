const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Returns the five random characters that complete a generated name. */
export function randomSuffix(random: () => number): string {
  let text = "";
  for (let i = 0; i < 5; i++) text += nameAlphabet[Math.floor(random() * nameAlphabet.length)]!;
  return text;
}

/** Returns a version 4 UUID. */
export function randomUuid(random: () => number): string {
  const hex = word(random) + word(random) + word(random) + word(random);
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) & 3]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Returns 32 random bits as hexadecimal digits. A call for each digit would take a new server milliseconds. */
function word(random: () => number): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
