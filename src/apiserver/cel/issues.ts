/** An expression that cannot be compiled; the message is worded as cel-go words it. */
export class CelCompileError extends Error {
  /** Name of the class. */
  override readonly name = "CelCompileError";
}

/** One thing wrong with an expression. */
export interface CelIssue {
  /** Offset in the expression; -1 where there is none. */
  readonly pos: number;
  readonly message: string;
}

const mostIssues = 100;
const longestSnippet = 16_384;

/** An error that tells of all issues in the order of their places, each with its line and a mark under it. */
export function issuesError(input: string, issues: readonly CelIssue[]): CelCompileError {
  const sorted = [...issues.slice(0, mostIssues)].sort((a, b) => a.pos - b.pos).map((issue) => shown(input, issue));
  if (issues.length > mostIssues) sorted.push(`${String(issues.length - mostIssues)} more errors were truncated`);
  return new CelCompileError(sorted.join("\n"));
}

function shown(input: string, { pos, message }: CelIssue): string {
  // An empty text has no place to point at.
  if (input === "") return `ERROR: <input>:1:0: ${message}`;
  if (pos < 0) return `ERROR: <input>:-1:0: ${message}`;
  const before = input.slice(0, pos);
  const line = before.split("\n").length;
  const column = [...before.slice(before.lastIndexOf("\n") + 1)].length;
  const text = (input.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  const head = `ERROR: <input>:${String(line)}:${String(column + 1)}: ${message}`;
  if (text.length > longestSnippet) return head;
  const characters = [...text];
  const wide = (at: number): boolean => (characters[at]?.codePointAt(0) ?? 0) > 0x7f;
  const dots = characters
    .slice(0, column)
    .map((_, at) => (wide(at) ? "\uff0e" : "."))
    .join("");
  return `${head}\n | ${text}\n | ${dots}${wide(column) ? "\uff3e" : "^"}`;
}
