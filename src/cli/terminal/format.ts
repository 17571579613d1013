/** Formats a number with thousands separators. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3}){1,7}$)/g, ",");
}

/** Replaces control characters by U+FFFD: texts of objects, such as images and messages, must not command the terminal. */
export function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, "\ufffd");
}

/** Prints the message of an error to stderr in one line. It may contain the words of a server. */
export function printError(error: unknown): void {
  console.error(printable((error instanceof Error ? error.message : String(error)).replaceAll("\n", " ")));
}

/** Makes a line printable, and cuts it if it's wider than the terminal. */
export function fitLine(text: string, width: number): string {
  const line = printable(text);
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}
