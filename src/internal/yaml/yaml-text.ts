import type { YamlSource } from "./yaml-source.js";
import { breakAt, breakLength, breaksBetween, char, isBlankOrEnd, isBreak, isFlowIndicator } from "./yaml-source.js";

/**
 * Reads an unquoted text, which may continue on lines that are indented by at least `indent` columns. In brackets any
 * line continues it.
 */
export function readPlain(source: YamlSource, indent: number, inFlow: boolean): string {
  const { text } = source;
  let end = endOfRun(text, source.at, inFlow);
  let result = text.slice(source.at, end);
  let parts: string[] | undefined;
  for (;;) {
    const next = continuation(source, end, indent, inFlow);
    if (next === undefined) break;
    const runEnd = endOfRun(text, next.at, inFlow);
    if (runEnd === next.at) break;
    parts ??= [result];
    parts.push(foldBreaks(breaksBetween(text, end, next.at)), text.slice(next.at, runEnd));
    source.line += next.breaks;
    source.lineStart = next.lineStart;
    end = runEnd;
  }
  if (parts !== undefined) result = parts.join("");
  source.at = end;
  source.fresh = false;
  return result;
}

/** Returns the end of an unquoted text on one line, without blanks after it. */
function endOfRun(text: string, start: number, inFlow: boolean): number {
  let end = start;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === char.space || code === char.tab) continue;
    if (isBreak(code) || Number.isNaN(code)) return end;
    if (code === char.hash && at > end) return end;
    if (code === char.colon && isBlankOrEnd(text.charCodeAt(at + 1))) return end;
    if (inFlow && isFlowIndicator(code)) return end;
    end = at + 1;
  }
}

/** Returns where an unquoted text goes on after the end of its line, if it does. */
function continuation(
  source: YamlSource,
  from: number,
  indent: number,
  inFlow: boolean,
): { readonly at: number; readonly lineStart: number; readonly breaks: number } | undefined {
  const { text } = source;
  let at = from;
  let breaks = 0;
  let lineStart = source.lineStart;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) {
      at += breakLength(text, at);
      lineStart = at;
      breaks++;
    } else if (code === char.space || code === char.tab) {
      if (code === char.tab && breaks > 0 && at - lineStart < indent)
        source.fail("found a tab character that violates indentation", source.line + breaks);
      at++;
    } else if (breaks === 0 || Number.isNaN(code) || code === char.hash) return undefined;
    else break;
  }
  if (at === lineStart && source.isMark(at)) return undefined;
  return inFlow || at - lineStart >= indent ? { at, lineStart, breaks } : undefined;
}

/** Folds line ends: a single one is a space, and otherwise the first is dropped, unless it's a separator. */
function foldBreaks(breaks: string): string {
  if (breaks === "\n") return " ";
  return breaks.startsWith("\n") ? breaks.slice(1) : breaks;
}

/** Reads a text in single or double quotes. */
export function readQuoted(source: YamlSource): string {
  const { text } = source;
  const quote = source.code();
  const parts: string[] = [];
  const begin = source.line;
  let at = source.at + 1;
  let from = at;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (quote === char.doubleQuote || text.charCodeAt(at + 1) !== quote) break;
      parts.push(text.slice(from, at + 1));
      from = at += 2;
    } else if (code === char.backslash && quote === char.doubleQuote) {
      if (at > from) parts.push(text.slice(from, at));
      if (isBreak(text.charCodeAt(at + 1))) from = at = foldLines(source, at + 1, parts, true);
      else from = at = readEscape(source, at, parts);
    } else if (isBreak(code) && !(source.inJson && code > char.carriageReturn)) {
      let end = at;
      while (end > from && (text.charCodeAt(end - 1) === char.space || text.charCodeAt(end - 1) === char.tab)) end--;
      if (end > from) parts.push(text.slice(from, end));
      from = at = foldLines(source, at, parts, false);
    } else if (Number.isNaN(code)) source.fail("found unexpected end of stream", begin);
    else at++;
  }
  const last = text.slice(from, at);
  source.at = at + 1;
  source.fresh = false;
  if (parts.length === 0) return last;
  parts.push(last);
  return parts.join("");
}

/** Folds the line ends in a quoted text. An escaped one is dropped. Returns where the text goes on. */
function foldLines(source: YamlSource, start: number, parts: string[], escaped: boolean): number {
  const { text } = source;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) {
      at = source.breakLine(at);
      if (source.isMark(at)) source.fail("found unexpected document indicator");
    } else if (code === char.space || code === char.tab) at++;
    else break;
  }
  const breaks = breaksBetween(text, start, at);
  parts.push(escaped ? breaks.slice(1) : foldBreaks(breaks));
  return at;
}

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "'": "'",
  "/": "/",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Decodes the escape sequence at an offset. Returns where the text goes on. */
function readEscape(source: YamlSource, at: number, parts: string[]): number {
  const { text } = source;
  const letter = text.charAt(at + 1);
  const length = hexLengths[letter];
  if (length === undefined) {
    const plain = escapes[letter];
    if (plain === undefined) source.fail("found unknown escape character");
    parts.push(plain);
    return at + 2;
  }
  const digits = text.slice(at + 2, at + 2 + length);
  if (digits.length < length || !/^[\da-fA-F]+$/.test(digits)) source.fail("did not find expected hexadecimal number");
  const point = Number.parseInt(digits, 16);
  // JSON is read as YAML, and writes characters beyond 16 bits as two escapes.
  const pair = /\\u[dD][89abAB][\da-fA-F]{2}\\u([dD][c-fC-F][\da-fA-F]{2})/y;
  pair.lastIndex = at;
  const low = point >= 0xd800 && point <= 0xdfff ? pair.exec(text)?.[1] : "";
  if (point > 0x10ffff || low === undefined) source.fail("found invalid Unicode character escape code");
  parts.push(low === "" ? String.fromCodePoint(point) : String.fromCharCode(point, Number.parseInt(low, 16)));
  return at + (low === "" ? 2 + length : 12);
}

/** Reads a block of lines after `|` or `>`, which must be indented more than `parent`. */
export function readBlockText(source: YamlSource, parent: number): string {
  const { text } = source;
  const literal = source.code() === char.bar;
  const header = /[+-]?[1-9]?[+-]?/y;
  header.lastIndex = source.at + 1;
  const [options] = header.exec(text)!;
  source.take(1 + options.length);
  if (!isBlankOrEnd(source.code()) && source.code() !== char.hash)
    source.fail("did not find expected comment or line break");
  const digit = /[1-9]/.exec(options)?.[0];
  if (options.length > (digit === undefined ? 1 : 2)) source.fail("did not find expected comment or line break");
  while (!source.ended && !isBreak(source.code())) {
    const code = source.code();
    if (code === char.hash) source.takeLine();
    else if (code === char.space || code === char.tab) source.at++;
    else source.fail("did not find expected comment or line break");
  }
  if (!source.ended) source.at = source.breakLine(source.at);
  const indent = digit === undefined ? 0 : Math.max(parent, 0) + Number(digit);
  return readLines(source, { literal, indent, least: Math.max(parent + 1, 1), chomp: /[+-]/.exec(options)?.[0] });
}

interface BlockStyle {
  readonly literal: boolean;
  /** Columns of indentation; 0 if the first line determines it. */
  readonly indent: number;
  /** Least number of columns that the first line may determine. */
  readonly least: number;
  /** `-` drops the last line end, `+` keeps all, the default keeps one. */
  readonly chomp: string | undefined;
}

function readLines(source: YamlSource, { literal, indent, least, chomp }: BlockStyle): string {
  const { text } = source;
  const parts: string[] = [];
  let { breaks, column } = skipBlankLines(source, indent);
  const width = indent > 0 ? indent : Math.max(least, column);
  /** Line end after the last line. */
  let pending = "";
  let blankBefore = false;
  while (source.column === width && !source.ended) {
    const blank = source.code() === char.space || source.code() === char.tab;
    const fold = !literal && !blankBefore && !blank && pending === "\n";
    parts.push(fold ? (breaks === "" ? " " : "") : pending, breaks);
    blankBefore = blank;
    let end = source.at;
    while (end < text.length && !isBreak(text.charCodeAt(end))) end++;
    parts.push(text.slice(source.at, end));
    source.at = end;
    pending = "";
    breaks = "";
    if (end === text.length) break;
    pending = breakAt(text, end);
    source.at = source.breakLine(end);
    ({ breaks, column } = skipBlankLines(source, width));
  }
  if (chomp !== "-") parts.push(pending);
  if (chomp === "+") parts.push(breaks);
  return parts.join("");
}

/** Skips the indentation and blank lines. Returns their line ends, and the column of the widest if `indent` is 0. */
function skipBlankLines(source: YamlSource, indent: number): { breaks: string; column: number } {
  const { text } = source;
  const from = source.at;
  let end = from;
  let column = 0;
  for (;;) {
    let { at } = source;
    const limit = indent === 0 ? Infinity : source.lineStart + indent;
    while (at < limit && text.charCodeAt(at) === char.space) at++;
    const code = text.charCodeAt(at);
    source.at = at;
    column = Math.max(column, source.column);
    if (code === char.tab && at < limit) source.fail("found a tab character where an indentation space is expected");
    if (!isBreak(code)) return { breaks: end === from ? "" : breaksBetween(text, from, end), column };
    end = source.at = source.breakLine(at);
  }
}
