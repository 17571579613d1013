import { type CelIssue, issuesError } from "./issues.js";
import { bytesLiteral, intLiteral, stringLiteral, uintLiteral } from "./literals.js";
import { macroProblem } from "./macro-forms.js";
import type { CelBinaryOperator, CelFieldNode, CelNode } from "./syntax.js";
import { type CelToken, celTokens, shownExpected } from "./tokens.js";

const longestExpression = 100_000;
const deepest = 250;
const reserved = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "package",
  "namespace",
  "null",
  "return",
  "true",
  "var",
  "void",
  "while",
]);
const starts = [
  "[",
  "{",
  "(",
  ".",
  "-",
  "!",
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
];
const operators = new Set(["==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "+", "*", "/", "%"]);
const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);

/** Ends a parse after what is wrong has been noted. */
class Stop extends Error {}

/** Parses an expression. Throws a `CelCompileError`. */
export function parseCel(input: string): CelNode {
  if (input.length > longestExpression && [...input].length > longestExpression) {
    throw issuesError(input, [
      {
        pos: -1,
        message: `expression code point size exceeds limit: size: ${String([...input].length)}, limit ${String(longestExpression)}`,
      },
    ]);
  }
  const parser = new Parser(input);
  let node: CelNode | undefined;
  try {
    node = parser.start();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  if (node === undefined || parser.issues.length > 0) throw issuesError(input, parser.issues);
  return node;
}

class Parser {
  readonly issues: CelIssue[] = [];
  readonly #input: string;
  readonly #tokens: readonly CelToken[];
  #at = 0;
  #depth = 0;
  /** How many brackets are open. */
  #open = 0;

  constructor(input: string) {
    this.#input = input;
    this.#tokens = celTokens(input, this.issues);
  }

  start(): CelNode {
    const node = this.#expression();
    this.#expect("<EOF>");
    return node;
  }

  get #token(): CelToken {
    return this.#tokens[this.#at]!;
  }

  get #next(): CelToken {
    return this.#tokens[Math.min(this.#at + 1, this.#tokens.length - 1)]!;
  }

  #is(type: string): boolean {
    return this.#token.type === type;
  }

  #take(): CelToken {
    const token = this.#token;
    if (token.type !== "<EOF>") this.#at += 1;
    return token;
  }

  #accept(type: string): CelToken | undefined {
    return this.#is(type) ? this.#take() : undefined;
  }

  /** Goes over one word too many if that mends the expression. Throws a `Stop` otherwise. */
  #mend(expected: readonly string[]): void {
    const { text, pos } = this.#token;
    const extra = expected.includes(this.#next.type) && !this.#is("<EOF>");
    this.issues.push({
      pos,
      message: `Syntax error: ${extra ? "extraneous" : "mismatched"} input '${text}' expecting ${shownExpected(expected)}`,
    });
    if (!extra) throw new Stop();
    this.#take();
  }

  #expect(type: string, ...others: string[]): CelToken {
    if (!this.#is(type)) this.#mend([type, ...others]);
    return this.#is(type) ? this.#take() : this.#expect(type, ...others);
  }

  /** The bracket that ends what the last one opened. */
  #close(type: string): void {
    this.#open -= 1;
    if (!this.#is("<EOF>") || this.#open > 0) {
      this.#expect(type);
      return;
    }
    this.#report(this.#token.pos, `Syntax error: missing '${type}' at '<EOF>'`);
  }

  /** Goes on behind an operand that cannot be read, if an operator comes next. Throws a `Stop` otherwise. */
  #skipped(): CelNode {
    if (!operators.has(this.#token.type)) throw new Stop();
    return { op: "value", args: null, pos: this.#token.pos, input: this.#input };
  }

  #report(pos: number, message: string): void {
    this.issues.push({ pos, message });
  }

  #expression(): CelNode {
    this.#depth += 1;
    if (this.#depth > deepest) {
      this.#report(-1, `expression recursion limit exceeded: ${String(deepest)}`);
      throw new Stop();
    }
    const condition = this.#or();
    const mark = this.#accept("?");
    if (mark !== undefined) {
      const yes = this.#or();
      this.#expect(":");
      const no = this.#expression();
      this.#depth -= 1;
      return { op: "?:", args: [condition, yes, no], pos: mark.pos, input: this.#input };
    }
    this.#depth -= 1;
    return condition;
  }

  #or(): CelNode {
    return this.#chain(() => this.#chain(() => this.#relation(), ["&&"]), ["||"]);
  }

  /** Operators of one rank, from left to right. */
  #chain(operand: () => CelNode, operators: readonly string[] | ReadonlySet<string>): CelNode {
    const among = new Set(operators);
    let left = operand();
    let length = 0;
    while (among.has(this.#token.type)) {
      const { text, pos } = this.#take();
      left = { op: text as CelBinaryOperator, args: [left, operand()], pos, input: this.#input };
      length += 1;
      // Comparisons and sums nest as deeply as they are long.
      if (length > deepest && text !== "&&" && text !== "||") {
        this.#report(-1, "max recursion depth exceeded");
        throw new Stop();
      }
    }
    return left;
  }

  #relation(): CelNode {
    return this.#chain(
      () => this.#chain(() => this.#chain(() => this.#unary(), ["*", "/", "%"]), ["+", "-"]),
      relations,
    );
  }

  #unary(): CelNode {
    const { type, pos } = this.#token;
    const number = type === "-" && (this.#next.type === "NUM_INT" || this.#next.type === "NUM_FLOAT");
    if ((type !== "!" && type !== "-") || number) return this.#member();
    let times = 0;
    while (this.#accept(type) !== undefined) times += 1;
    const operand = this.#member();
    return times % 2 === 0 ? operand : { op: type === "!" ? "!_" : "-_", args: operand, pos, input: this.#input };
  }

  #member(): CelNode {
    let node = this.#primary();
    let length = 0;
    for (;;) {
      const dot = this.#accept(".");
      const bracket = dot === undefined ? this.#accept("[") : undefined;
      if (dot !== undefined) node = this.#select(node, dot.pos);
      else if (bracket !== undefined) {
        const optional = this.#accept("?") !== undefined;
        this.#open += 1;
        const key = this.#expression();
        this.#close("]");
        node = { op: optional ? "[?]" : "[]", args: [node, key], pos: bracket.pos, input: this.#input };
      } else return node;
      length += 1;
      if (length > deepest) {
        this.#report(-1, "max recursion depth exceeded");
        throw new Stop();
      }
    }
  }

  #select(target: CelNode, pos: number): CelNode {
    const input = this.#input;
    const optional = this.#accept("?") !== undefined;
    if (!this.#is("IDENTIFIER") && !this.#is("ESC_IDENTIFIER")) {
      const { type, text, pos: at } = this.#token;
      const shown = type === "<EOF>" ? "." : `.${text}`;
      const word = type === "true" || type === "false" || type === "null";
      const message = word
        ? `mismatched input '${text}' expecting IDENTIFIER`
        : `no viable alternative at input '${shown}'`;
      this.#report(
        at,
        `Syntax error: ${optional ? `mismatched input '${text}' expecting ${shownExpected(["IDENTIFIER", "ESC_IDENTIFIER"])}` : message}`,
      );
      if (optional) this.#report(at, "unsupported ident kind");
      return this.#skipped();
    }
    const name = this.#take();
    const open = optional || name.type !== "IDENTIFIER" ? undefined : this.#accept("(");
    if (open === undefined) return { op: optional ? ".?" : ".", args: [target, this.#identifier(name)], pos, input };
    const args = this.#arguments();
    const problem = macroProblem(name.text, args, target);
    if (problem !== undefined) this.#report(problem.pos, problem.message);
    return { op: "rcall", args: [name.text, target, args], pos: open.pos, input };
  }

  /** Names in backticks are not part of the language as the server speaks it. */
  #identifier({ type, text, pos }: CelToken): string {
    if (type !== "ESC_IDENTIFIER") return text;
    this.#report(pos, "unsupported syntax: '`'");
    return text.slice(1, -1);
  }

  #arguments(): CelNode[] {
    const args: CelNode[] = [];
    if (this.#accept(")") !== undefined) return args;
    if (!starts.includes(this.#token.type)) this.#mend([...starts, ")"]);
    this.#open += 1;
    do args.push(this.#expression());
    while (this.#accept(",") !== undefined);
    this.#close(")");
    return args;
  }

  #primary(): CelNode {
    while (!starts.includes(this.#token.type)) {
      if (operators.has(this.#token.type) && !starts.includes(this.#next.type)) {
        this.#report(
          this.#token.pos,
          `Syntax error: mismatched input '${this.#token.text}' expecting ${shownExpected(starts)}`,
        );
        return this.#skipped();
      }
      this.#mend(starts);
    }
    const { type, pos } = this.#token;
    const input = this.#input;
    switch (type) {
      case "(": {
        this.#take();
        this.#open += 1;
        const inner = this.#expression();
        this.#close(")");
        return inner;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
      case "IDENTIFIER":
        return this.#name();
      case "true":
      case "false":
        this.#take();
        return { op: "value", args: type === "true", pos, input };
      case "null":
        this.#take();
        return { op: "value", args: null, pos, input };
      default:
        return this.#literal();
    }
  }

  #literal(): CelNode {
    const { pos } = this.#token;
    const input = this.#input;
    const sign = this.#accept("-")?.text ?? "";
    const { type, text } = this.#take();
    if (type === "NUM_FLOAT") {
      const number = Number(sign + text);
      if (!Number.isFinite(number)) this.#report(pos, "invalid double literal");
      return { op: "value", args: number, pos, input };
    }
    if (type === "STRING" || type === "BYTES") {
      const read = type === "STRING" ? stringLiteral(text) : bytesLiteral(text);
      if ("problem" in read) this.#report(pos, read.problem);
      return { op: "value", args: "problem" in read ? "" : read.value, pos, input };
    }
    const value = type === "NUM_INT" ? intLiteral(sign + text) : uintLiteral(text);
    if (value === undefined) this.#report(pos, `invalid ${type === "NUM_INT" ? "int" : "uint"} literal`);
    return { op: "value", args: value ?? null, pos, input };
  }

  /** An identifier, a call of a function or a message. */
  #name(): CelNode {
    const input = this.#input;
    const { pos } = this.#token;
    const dot = this.#accept(".")?.text ?? "";
    const name = this.#expect("IDENTIFIER");
    const message = this.#messageName(dot + name.text);
    if (message !== undefined) return message;
    if (reserved.has(name.text)) this.#report(pos, `reserved identifier: ${name.text}`);
    const open = this.#accept("(");
    if (open === undefined) return { op: "id", args: dot + name.text, pos: name.pos, input };
    const args = this.#arguments();
    const problem = macroProblem(name.text, args);
    if (problem !== undefined) this.#report(problem.pos, problem.message);
    return { op: "call", args: [dot + name.text, args], pos: open.pos, input };
  }

  /** A message whose name begins with what has been read, if there is a brace after the name. */
  #messageName(first: string): CelNode | undefined {
    let at = this.#at;
    let name = first;
    while (this.#tokens[at]?.type === "." && this.#tokens[at + 1]?.type === "IDENTIFIER") {
      name += `.${this.#tokens[at + 1]!.text}`;
      at += 2;
    }
    if (this.#tokens[at]?.type !== "{") return undefined;
    this.#at = at;
    const { pos } = this.#take();
    const fields: CelFieldNode[] = [];
    while (!this.#is("}")) {
      if (fields.length === 0 && this.#is(",")) {
        this.#take();
        break;
      }
      const optional = this.#accept("?") !== undefined;
      if (!this.#is("IDENTIFIER") && !this.#is("ESC_IDENTIFIER"))
        this.#mend(
          fields.length === 0 && !optional
            ? ["}", ",", "?", "IDENTIFIER", "ESC_IDENTIFIER"]
            : ["IDENTIFIER", "ESC_IDENTIFIER"],
        );
      if (this.#is("}")) break;
      const field = this.#identifier(this.#take());
      const colon = this.#expect(":");
      fields.push({ name: field, value: this.#expression(), optional, pos: colon.pos });
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("}", ",");
    return { op: "struct", args: [name, fields], pos, input: this.#input };
  }

  #list(): CelNode {
    const { pos } = this.#take();
    const items: CelNode[] = [];
    const optional = new Set<number>();
    while (!this.#is("]")) {
      if (items.length === 0 && this.#accept(",") !== undefined) break;
      if (this.#accept("?") !== undefined) optional.add(items.length);
      items.push(this.#expression());
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("]", ",");
    return { op: "list", args: items, optional, pos, input: this.#input };
  }

  #map(): CelNode {
    const { pos } = this.#take();
    const entries: [CelNode, CelNode][] = [];
    const optional = new Set<number>();
    while (!this.#is("}")) {
      if (entries.length === 0 && this.#accept(",") !== undefined) break;
      if (this.#accept("?") !== undefined) optional.add(entries.length);
      else if (entries.length === 0 && !starts.includes(this.#token.type)) this.#mend([...starts, "}", ",", "?"]);
      const key = this.#expression();
      this.#expect(":");
      entries.push([key, this.#expression()]);
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("}", ",");
    return { op: "map", args: entries, optional, pos, input: this.#input };
  }
}
