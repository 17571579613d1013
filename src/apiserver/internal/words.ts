/** Returns the words of texts, which are separated by single spaces. For tables of many short words. */
export function words(...texts: readonly string[]): string[] {
  return texts.join(" ").split(" ");
}
