import { lexAction, type Token } from "./lex-action.js";

/** Operand of a command. */
export type Operand =
  | { readonly is: "literal"; readonly value: unknown }
  | { readonly is: "path"; readonly variable: string | undefined; readonly fields: readonly string[] }
  | { readonly is: "function"; readonly name: string }
  | { readonly is: "group"; readonly pipe: Pipe; readonly fields: readonly string[] };

/** Commands. Each gets the result of the one before as its last argument. */
export interface Pipe {
  /** Variables that get the result. */
  readonly variables: readonly string[];
  /** True if the variables are new ones. */
  readonly declares: boolean;
  readonly commands: readonly (readonly Operand[])[];
  readonly line: number;
}

/** Part of a template. */
export type TemplateNode =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "print"; readonly pipe: Pipe }
  | {
      readonly is: "if" | "with" | "range";
      readonly pipe: Pipe;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    };

/** Branches within one another, at most. */
const deepest = 100;

/** Parses a template of Go's `text/template`. Throws a `SyntaxError` with the line for what isn't supported. */
export function parseTemplate(text: string, isFunction: (name: string) => boolean): readonly TemplateNode[] {
  const pieces = split(text);
  let next = 0;
  let depth = 0;
  const block = (line: number, isOpen: boolean): { nodes: TemplateNode[]; end: Action } => {
    const nodes: TemplateNode[] = [];
    while (next < pieces.length) {
      const piece = pieces[next++]!;
      if (typeof piece === "string") {
        if (piece !== "") nodes.push({ is: "text", text: piece });
        continue;
      }
      const [word, ...rest] = piece.tokens;
      const keyword = word?.is === "name" ? word.text : "";
      if (keyword === "end" || keyword === "else") {
        if (!isOpen) throw new SyntaxError(`line ${piece.line}: unexpected {{ ${keyword} }}`);
        return { nodes, end: piece };
      }
      if (keyword === "if" || keyword === "with" || keyword === "range") nodes.push(branch(keyword, rest, piece.line));
      else if (piece.tokens.length > 0)
        nodes.push({ is: "print", pipe: new PipeParser(piece.tokens, piece.line, isFunction).parse() });
    }
    if (isOpen) throw new SyntaxError(`line ${line}: {{ end }} is missing`);
    return { nodes, end: { line, tokens: [] } };
  };
  const branch = (is: "if" | "with" | "range", tokens: readonly Token[], line: number): TemplateNode => {
    if (++depth > deepest) throw new SyntaxError(`line ${line}: nested deeper than ${deepest} levels`);
    const node = branchOf(is, tokens, line);
    depth--;
    return node;
  };
  const branchOf = (is: "if" | "with" | "range", tokens: readonly Token[], line: number): TemplateNode => {
    const pipe = new PipeParser(tokens, line, isFunction).parse();
    const { nodes: body, end } = block(line, true);
    if (end.tokens[0]?.text !== "else") return { is, pipe, body, otherwise: [] };
    const [, again, ...rest] = end.tokens;
    // "else if" nests a branch that ends with the same "end".
    if (again?.text === "if" || again?.text === "with")
      return { is, pipe, body, otherwise: [branch(again.text, rest, end.line)] };
    const { nodes: otherwise, end: last } = block(end.line, true);
    if (last.tokens[0]?.text === "else") throw new SyntaxError(`line ${last.line}: unexpected {{ else }}`);
    return { is, pipe, body, otherwise };
  };
  return block(1, false).nodes;
}

interface Action {
  readonly line: number;
  readonly tokens: readonly Token[];
}

/** Returns the texts and actions of a template in turns. */
function split(text: string): (string | Action)[] {
  const pieces: (string | Action)[] = [];
  let line = 1;
  let trims = false;
  let rest = text;
  for (;;) {
    const start = rest.indexOf("{{");
    const plain = start < 0 ? rest : rest.slice(0, start);
    const before = trims ? plain.trimStart() : plain;
    line += plain.split("\n").length - 1;
    if (start < 0) {
      pieces.push(before);
      return pieces;
    }
    const end = rest.indexOf("}}", start);
    if (end < 0) throw new SyntaxError(`line ${line}: }} is missing`);
    let action = rest.slice(start + 2, end);
    pieces.push(/^-\s/.test(action) ? before.trimEnd() : before);
    trims = /\s-$/.test(action);
    const lines = action.split("\n").length - 1;
    action = action.replace(/^-(?=\s)/, "").replace(/(?<=\s)-$/, "");
    const isComment = /^\s*\/\*[^]*\*\/\s*$/.test(action);
    pieces.push({ line, tokens: isComment ? [] : lexAction(action, line) });
    line += lines;
    rest = rest.slice(end + 2);
  }
}

class PipeParser {
  readonly #tokens: readonly Token[];
  readonly #line: number;
  readonly #isFunction: (name: string) => boolean;
  #next = 0;

  constructor(tokens: readonly Token[], line: number, isFunction: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#line = line;
    this.#isFunction = isFunction;
  }

  parse(): Pipe {
    const pipe = this.#pipe();
    if (this.#next < this.#tokens.length) this.#fail(`unexpected ${this.#tokens[this.#next]!.text}`);
    return pipe;
  }

  #pipe(): Pipe {
    const { variables, declares } = this.#variables();
    const commands = [this.#command()];
    while (this.#take("|")) commands.push(this.#command());
    return { variables, declares, commands, line: this.#line };
  }

  #variables(): { variables: string[]; declares: boolean } {
    const assign = this.#tokens.findIndex(({ is, text }) => is === "mark" && (text === ":=" || text === "="));
    if (assign < 0 || this.#next > 0) return { variables: [], declares: false };
    const variables = this.#tokens.slice(0, assign).filter(({ text }) => text !== ",");
    if (variables.length === 0 || variables.some(({ is, fields }) => is !== "variable" || fields.length > 0))
      this.#fail("a variable must stand before := and =");
    this.#next = assign + 1;
    return { variables: variables.map(({ text }) => text), declares: this.#tokens[assign]!.text === ":=" };
  }

  #command(): Operand[] {
    const operands: Operand[] = [];
    for (let token = this.#tokens[this.#next]; token !== undefined; token = this.#tokens[this.#next]) {
      if (token.is === "mark" && (token.text === "|" || token.text === ")")) break;
      operands.push(this.#operand(token));
    }
    if (operands.length === 0) this.#fail("a value is missing");
    return operands;
  }

  #operand(token: Token): Operand {
    this.#next++;
    const { is, text, fields } = token;
    if (is === "literal") return { is: "literal", value: token.value };
    if (is === "variable") return { is: "path", variable: text, fields };
    if (is === "field") return { is: "path", variable: undefined, fields };
    if (is === "name") {
      if (!this.#isFunction(text)) this.#fail(`${JSON.stringify(text)} is not supported`);
      return { is: "function", name: text };
    }
    if (text !== "(") this.#fail(`unexpected ${text}`);
    const variables: string[] = [];
    const commands = [this.#command()];
    while (this.#take("|")) commands.push(this.#command());
    const close = this.#tokens[this.#next];
    if (!this.#take(")")) this.#fail(") is missing");
    return { is: "group", pipe: { variables, declares: false, commands, line: this.#line }, fields: close!.fields };
  }

  #take(mark: string): boolean {
    const token = this.#tokens[this.#next];
    if (token?.is !== "mark" || token.text !== mark) return false;
    this.#next++;
    return true;
  }

  #fail(problem: string): never {
    throw new SyntaxError(`line ${this.#line}: ${problem}`);
  }
}
