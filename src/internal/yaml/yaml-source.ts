/** Character codes that YAML's syntax consists of. */
export const char = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  bang: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  singleQuote: 0x27,
  asterisk: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  dash: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  greater: 0x3e,
  question: 0x3f,
  at: 0x40,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  backtick: 0x60,
  openBrace: 0x7b,
  bar: 0x7c,
  closeBrace: 0x7d,
  nextLine: 0x85,
  lineSeparator: 0x2028,
  paragraphSeparator: 0x2029,
  byteOrderMark: 0xfeff,
} as const;

/** True for a line end. As in YAML 1.1, "next line" and the separators of lines and paragraphs are line ends, too. */
export function isBreak(code: number): boolean {
  return code === char.lineFeed || code === char.carriageReturn || code === char.nextLine || isSeparator(code);
}

/** True for the line ends that a text keeps as they are, and that aren't folded. */
function isSeparator(code: number): boolean {
  return code === char.lineSeparator || code === char.paragraphSeparator;
}

/** Returns the line end at an offset as it appears in a text. */
export function breakAt(text: string, at: number): string {
  return isSeparator(text.charCodeAt(at)) ? text.charAt(at) : "\n";
}

/** Returns the line ends between two offsets as they appear in a text. The rest must be blanks. */
export function breaksBetween(text: string, from: number, to: number): string {
  return text
    .slice(from, to)
    .replace(/\r\n?|\u0085/g, "\n")
    .replace(/[ \t]+/g, "");
}

/** Returns the length of the line end at an offset: two for a carriage return with a line feed. */
export function breakLength(text: string, at: number): number {
  return text.charCodeAt(at) === char.carriageReturn && text.charCodeAt(at + 1) === char.lineFeed ? 2 : 1;
}

/** True for a space, a tab, a line end, and the `NaN` after the end of the text. */
export function isBlankOrEnd(code: number): boolean {
  return code === char.space || code === char.tab || isBreak(code) || Number.isNaN(code);
}

/** True for the characters that separate and close values in brackets. */
export function isFlowIndicator(code: number): boolean {
  return (
    code === char.comma ||
    code === char.openBracket ||
    code === char.closeBracket ||
    code === char.openBrace ||
    code === char.closeBrace
  );
}

/** Position in a YAML text, which only moves forward. */
export class YamlSource {
  readonly text: string;
  /** Offset of the next character. */
  at = 0;
  /** Line of the next character; the first line is 1. */
  line = 1;
  /** Offset at which the line begins. */
  lineStart = 0;
  /** True if a block collection or its next entry may start here: after the indentation, `- ` or `? `. */
  fresh = true;
  /** True in an object of a JSON stream: a document that begins with a brace. Its texts keep line separators. */
  inJson = false;

  constructor(text: string) {
    this.text = text;
    const control = /[^\t\n\r -~\u0085\u00a0-\ufffd]/.exec(text);
    if (control !== null)
      this.fail(
        "control characters are not allowed",
        text.slice(0, control.index).split(/\r\n|[\r\n\u0085\u2028\u2029]/).length,
      );
    this.skipByteOrderMark();
  }

  /** Skips a byte order mark at the beginning of a line. Files that were joined have one in each document. */
  skipByteOrderMark(): void {
    if (this.at === this.lineStart && this.code() === char.byteOrderMark) this.lineStart = ++this.at;
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  /** Returns the code of the next character, or of a later one. `NaN` is the end. */
  code(offset = 0): number {
    return this.text.charCodeAt(this.at + offset);
  }

  /** True if the next character is an indicator such as `-` that is followed by a blank or the end. */
  isIndicator(code: number): boolean {
    return this.code() === code && isBlankOrEnd(this.code(1));
  }

  /** Skips spaces, comments and line ends. A tab doesn't count as indentation of a block. */
  skip(inFlow: boolean): void {
    const { text } = this;
    let { at } = this;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === char.space || (code === char.tab && (inFlow || !this.fresh))) at++;
      else if (isBreak(code)) at = this.breakLine(at);
      else if (code === char.hash) while (at < text.length && !isBreak(text.charCodeAt(at))) at++;
      else break;
    }
    this.at = at;
  }

  /** Starts the next line after the line end at an offset. Returns where it begins. */
  breakLine(at: number): number {
    this.line++;
    this.fresh = true;
    return (this.lineStart = at + breakLength(this.text, at));
  }

  /** Moves over a token. */
  take(length: number): void {
    this.at += length;
    this.fresh = false;
  }

  /** Moves to the end of the line. Returns the rest of it. */
  takeLine(): string {
    const { at } = this;
    while (!this.ended && !isBreak(this.code())) this.take(1);
    return this.text.slice(at, this.at);
  }

  /** Moves over an indicator after which a block collection may start. */
  takeIndicator(): void {
    this.at++;
    this.fresh = true;
  }

  /** True if a line that begins at an offset is `---` or `...`. */
  isMark(at: number): boolean {
    const { text } = this;
    const code = text.charCodeAt(at);
    if (code !== char.dash && code !== char.dot) return false;
    return (
      text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code && isBlankOrEnd(text.charCodeAt(at + 3))
    );
  }

  /** True if the next characters are `---` or `...` at the beginning of a line. */
  get atMark(): boolean {
    return this.at === this.lineStart && this.isMark(this.at);
  }

  /** Throws a `SyntaxError` that names the line. */
  fail(reason: string, line: number = this.line): never {
    throw new SyntaxError(`line ${line}: ${reason}`);
  }
}
