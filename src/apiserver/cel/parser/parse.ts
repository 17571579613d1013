import { reservedWords } from "../values/reserved-words.js";
import { compileError } from "./issues.js";
import { bytesLiteral, intLiteral, stringLiteral, uintLiteral } from "./literals.js";
import { macroProblem } from "./macro-forms.js";
import type { CelBinaryOperator, CelFieldNode, CelNode } from "./syntax.js";
import { type CelToken, celTokens } from "./tokens.js";

const longestExpression = 100_000;
const deepest = 250;
const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);

/** Parses an expression. Throws a `CelCompileError`. */
export function parseCel(input: string): CelNode {
  if (input.length > longestExpression && [...input].length > longestExpression)
    throw compileError(input, -1, `expression code point size exceeds limit: ${longestExpression}`);
  return new Parser(input).start();
}

class Parser {
  readonly #input: string;
  readonly #tokens: readonly CelToken[];
  #at = 0;
  #depth = 0;

  constructor(input: string) {
    this.#input = input;
    this.#tokens = celTokens(input);
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

  #expect(type: string): CelToken {
    return this.#is(type) ? this.#take() : this.#unexpected();
  }

  #unexpected(): never {
    return this.#fail(this.#token.pos, `Syntax error: mismatched input '${this.#token.text}'`);
  }

  #fail(pos: number, message: string): never {
    throw compileError(this.#input, pos, message);
  }

  #expression(): CelNode {
    this.#depth += 1;
    if (this.#depth > deepest) this.#fail(-1, `expression recursion limit exceeded: ${String(deepest)}`);
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

  /** Parses left-associative operators of one precedence. */
  #chain(operand: () => CelNode, operators: readonly string[] | ReadonlySet<string>): CelNode {
    const among = new Set(operators);
    let left = operand();
    let length = 0;
    while (among.has(this.#token.type)) {
      const { text, pos } = this.#take();
      left = { op: text as CelBinaryOperator, args: [left, operand()], pos, input: this.#input };
      length += 1;
      // Long chains of comparisons and sums nest as deeply as they are long.
      if (length > deepest && text !== "&&" && text !== "||") this.#fail(-1, "max recursion depth exceeded");
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
        const key = this.#expression();
        this.#expect("]");
        node = { op: optional ? "[?]" : "[]", args: [node, key], pos: bracket.pos, input: this.#input };
      } else return node;
      length += 1;
      if (length > deepest) this.#fail(-1, "max recursion depth exceeded");
    }
  }

  #select(target: CelNode, pos: number): CelNode {
    const input = this.#input;
    const optional = this.#accept("?") !== undefined;
    const name = this.#expect("IDENTIFIER");
    const open = optional ? undefined : this.#accept("(");
    if (open === undefined) return { op: optional ? ".?" : ".", args: [target, name.text], pos, input };
    const args = this.#arguments();
    const problem = macroProblem(name.text, args, target);
    if (problem !== undefined) this.#fail(name.pos, problem);
    return { op: "rcall", args: [name.text, target, args], pos: open.pos, input };
  }

  #arguments(): CelNode[] {
    const args: CelNode[] = [];
    if (this.#accept(")") !== undefined) return args;
    do args.push(this.#expression());
    while (this.#accept(",") !== undefined);
    this.#expect(")");
    return args;
  }

  #primary(): CelNode {
    const { type, pos } = this.#token;
    const input = this.#input;
    switch (type) {
      case "(": {
        this.#take();
        const inner = this.#expression();
        this.#expect(")");
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
      case "-":
      case "NUM_FLOAT":
      case "NUM_INT":
      case "NUM_UINT":
      case "STRING":
      case "BYTES":
        return this.#literal();
      default:
        return this.#unexpected();
    }
  }

  #literal(): CelNode {
    const { pos } = this.#token;
    const input = this.#input;
    const sign = this.#accept("-")?.text ?? "";
    const { type, text } = this.#take();
    if (type === "NUM_FLOAT") {
      const number = Number(sign + text);
      if (!Number.isFinite(number)) this.#fail(pos, "invalid double literal");
      return { op: "value", args: number, pos, input };
    }
    if (type === "STRING" || type === "BYTES") {
      const read = type === "STRING" ? stringLiteral(text) : bytesLiteral(text);
      if (read === undefined) return this.#fail(pos, "invalid literal");
      return { op: "value", args: read, pos, input };
    }
    const value = type === "NUM_INT" ? intLiteral(sign + text) : uintLiteral(text);
    if (value === undefined) return this.#fail(pos, "invalid integer literal");
    return { op: "value", args: value, pos, input };
  }

  /** Parses an identifier, a function call or a message. */
  #name(): CelNode {
    const input = this.#input;
    const { pos } = this.#token;
    const dot = this.#accept(".")?.text ?? "";
    const name = this.#expect("IDENTIFIER");
    const message = this.#messageName(dot + name.text);
    if (message !== undefined) return message;
    if (reservedWords.has(name.text)) this.#fail(pos, `reserved identifier: ${name.text}`);
    const open = this.#accept("(");
    if (open === undefined) return { op: "id", args: dot + name.text, pos: name.pos, input };
    const args = this.#arguments();
    const problem = macroProblem(name.text, args);
    if (problem !== undefined) this.#fail(name.pos, problem);
    return { op: "call", args: [dot + name.text, args], pos: open.pos, input };
  }

  /** Parses a message whose name begins with the parsed part, if a brace follows the name. */
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
      const field = this.#expect("IDENTIFIER").text;
      const colon = this.#expect(":");
      fields.push({ name: field, value: this.#expression(), optional, pos: colon.pos });
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("}");
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
    this.#expect("]");
    return { op: "list", args: items, optional, pos, input: this.#input };
  }

  #map(): CelNode {
    const { pos } = this.#take();
    const entries: [CelNode, CelNode][] = [];
    const optional = new Set<number>();
    while (!this.#is("}")) {
      if (entries.length === 0 && this.#accept(",") !== undefined) break;
      if (this.#accept("?") !== undefined) optional.add(entries.length);
      const key = this.#expression();
      this.#expect(":");
      entries.push([key, this.#expression()]);
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("}");
    return { op: "map", args: entries, optional, pos, input: this.#input };
  }
}
