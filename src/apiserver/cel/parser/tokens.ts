import { words } from "../../internal/words.js";
import { compileError } from "./issues.js";

/** A token. The type of punctuation and keywords is their text. */
export interface CelToken {
  readonly type: string;
  readonly text: string;
  readonly pos: number;
}

const punctuation = words("== != <= >= && || < > [ ] { } ( ) . , - ! ? : + * / %");
const keywords = new Set(["in", "true", "false", "null"]);
const escape = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const quoted = [
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
].join("|");

const rules: readonly (readonly [type: string, pattern: RegExp])[] = [
  ["SPACE", /(?:[\t \r\n\f]|\/\/[^\n]*(?:\n|$))+/y],
  ["BYTES", new RegExp(`[bB](?:${quoted})`, "y")],
  ["STRING", new RegExp(quoted, "y")],
  ["NUM_FLOAT", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["NUM_UINT", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["NUM_INT", /0x[0-9a-fA-F]+|\d+/y],
  ["IDENTIFIER", /[A-Za-z_][A-Za-z0-9_]*/y],
];

/** Returns the tokens of an expression; the last one has type `<EOF>`. Throws a `CelCompileError`. */
export function celTokens(input: string): CelToken[] {
  const tokens: CelToken[] = [];
  let at = 0;
  while (at < input.length) {
    const token = tokenAt(input, at);
    if (token === undefined) throw compileError(input, at, `Syntax error: token recognition error at: '${input[at]!}'`);
    at += token.text.length;
    if (token.type !== "SPACE") tokens.push(token);
  }
  tokens.push({ type: "<EOF>", text: "<EOF>", pos: input.length });
  return tokens;
}

function tokenAt(input: string, at: number): CelToken | undefined {
  for (const [type, pattern] of rules) {
    pattern.lastIndex = at;
    const text = pattern.exec(input)?.[0];
    if (text !== undefined) return { type: type === "IDENTIFIER" && keywords.has(text) ? text : type, text, pos: at };
  }
  const text = punctuation.find((each) => input.startsWith(each, at));
  return text === undefined ? undefined : { type: text, text, pos: at };
}
