import type { ContainerOutput } from "./images.js";

/** Command of a simple shell script, such as `echo "no database" >&2`. */
export interface ShellCommand {
  /** When the command runs: always, or if the one before it succeeded or failed. */
  readonly runs: "always" | "after success" | "after failure";
  /** Words as written. */
  readonly words: readonly string[];
  readonly redirections: readonly string[];
}

interface Outputs {
  readonly stdout: ContainerOutput;
  readonly stderr: ContainerOutput;
}

const separators = { ";": "always", "\n": "always", "&&": "after success", "||": "after failure" } as const;

/** A separator, a redirection to the other output or to nothing, or a word, after blanks. */
const token =
  /[ \t]*(?:(;|\n|&&|\|\|)|([12]?>(?:&[12]|[ \t]*\/dev\/null))|((?:'[^']*'|"(?:[^"\\`$]|\\.|\$\{\w+\}|\$(?=[A-Za-z_]))*"|\\.|\$\{\w+\}|\$(?=[A-Za-z_])|[^\s;&|<>$`'"(){}*\\])+))[ \t]*/suy;

/** Returns the commands of a script without loops, conditions, pipes and files; `undefined` for any other. */
export function parseShellScript(script: string): ShellCommand[] | undefined {
  const commands: ShellCommand[] = [];
  let [runs, words, redirections]: [ShellCommand["runs"], string[], string[]] = ["always", [], []];
  const text = `${script.trim()}\n`;
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const [, separator, redirection, word] = token.exec(text) ?? [];
    if (word !== undefined) words.push(word);
    else if (redirection !== undefined) redirections.push(redirection);
    else if (separator === undefined) return undefined;
    else if (words.length > 0) {
      commands.push({ runs, words, redirections });
      [runs, words, redirections] = [separators[separator as keyof typeof separators], [], []];
    }
  }
  return commands.length > 0 && runs === "always" ? commands : undefined;
}

/** Returns a word without its quotes, with variables in place. */
export function expandWord(word: string, env: Readonly<Record<string, string>>): string {
  const valueOf = (reference: string): string => env[reference.replaceAll(/\W/g, "")] ?? "";
  return word.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|\$\{?\w+\}?/gs, (piece) => {
    if (piece.startsWith("$")) return valueOf(piece);
    if (piece.startsWith("\\")) return piece.slice(1);
    const inside = piece.slice(1, -1);
    if (piece.startsWith("'")) return inside;
    return inside.replaceAll(/\\[\\"$`]|\$\{?\w+\}?/g, (part) =>
      part.startsWith("$") ? valueOf(part) : part.slice(1),
    );
  });
}

/** Returns the outputs of a command after its redirections. */
export function redirect(outputs: Outputs, redirections: readonly string[]): Outputs {
  let { stdout, stderr } = outputs;
  for (const redirection of redirections) {
    const target = redirection.endsWith("&1") ? stdout : redirection.endsWith("&2") ? stderr : nowhere;
    if (redirection.startsWith("2")) stderr = target;
    else stdout = target;
  }
  return { stdout, stderr };
}

const nowhere: ContainerOutput = { write: () => undefined, ready: Promise.resolve() };
