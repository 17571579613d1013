/** Returns a string literal in single quotes, in which JSON needs the fewest escapes. */
export function quote(json: string): string {
  return `'${json.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}'`;
}
