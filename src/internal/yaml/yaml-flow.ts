import type { YamlKey, YamlOptions } from "./yaml-entries.js";
import { YamlEntries } from "./yaml-entries.js";
import type { YamlNodes } from "./yaml-nodes.js";
import type { YamlSource } from "./yaml-source.js";
import { char, isBlankOrEnd, isFlowIndicator } from "./yaml-source.js";
import { readPlain, readQuoted } from "./yaml-text.js";

/** Longest key without a `?` before it, as in Go's library. */
const maxKeyLength = 1_024;

/** Reads nodes in brackets, and the scalars that may stand in brackets. */
export class FlowReader {
  readonly #source: YamlSource;
  readonly #nodes: YamlNodes;
  readonly #options: YamlOptions;

  constructor(source: YamlSource, nodes: YamlNodes, options: YamlOptions) {
    this.#source = source;
    this.#nodes = nodes;
    this.#options = options;
  }

  /** Reads a node in brackets. */
  #flow(): unknown {
    const source = this.#source;
    const { line } = source;
    const properties = this.#nodes.properties(true);
    const code = source.code();
    const missing = Number.isNaN(code) || code === char.comma || code === char.colon || isClosing(code);
    if (missing) return this.#nodes.empty(properties);
    if (code === char.asterisk && properties !== undefined) this.#nodes.failAt(code);
    this.#nodes.open(properties);
    const value = this.#nodes.resolve(this.inline(0, true), properties?.tag, line);
    this.#nodes.close(properties, value);
    return value;
  }

  #flowSequence(): unknown[] {
    const source = this.#source;
    const from = this.#nodes.items.length;
    source.take(1);
    for (;;) {
      this.#nodes.skipFlow();
      if (source.code() === char.closeBracket) break;
      const pair = this.#flowPair();
      this.#nodes.items.push(pair.value === undefined ? pair.key : this.#single(pair));
      this.#nodes.skipFlow();
      if (source.code() === char.comma) source.take(1);
      else if (source.code() !== char.closeBracket) source.fail("did not find expected ',' or ']'");
    }
    source.take(1);
    return this.#nodes.takeItems(from);
  }

  #flowMapping(): Record<string, unknown> {
    const source = this.#source;
    const entries = new YamlEntries(source, this.#options);
    source.take(1);
    for (;;) {
      this.#nodes.skipFlow();
      if (source.code() === char.closeBrace) break;
      const pair = this.#flowPair();
      entries.add(pair.name ?? this.#nodes.key(pair.key, pair.line), pair.value ?? null);
      this.#nodes.skipFlow();
      if (source.code() === char.comma) source.take(1);
      else if (source.code() !== char.closeBrace) source.fail("did not find expected ',' or '}'");
    }
    source.take(1);
    return entries.finish();
  }

  /** Returns the mapping of a pair in a list. */
  #single({ name, value }: FlowPair): Record<string, unknown> {
    const entries = new YamlEntries(this.#source, this.#options);
    entries.add(name!, value);
    return entries.finish();
  }

  /** Reads a value in brackets, or a key with a value. */
  #flowPair(): FlowPair {
    const source = this.#source;
    const start = { at: source.at, line: source.line };
    if (source.code() === char.comma) source.fail("did not find expected node content");
    const explicit = source.isIndicator(char.question);
    if (explicit) {
      source.take(1);
      this.#nodes.skipFlow();
    }
    const { line } = source;
    // A key in double quotes may be JSON, where its length and the lines before the colon don't matter.
    const anywhere = explicit || source.code() === char.doubleQuote;
    const key = this.#flow();
    if (anywhere) this.#nodes.skipFlow();
    const isKey = anywhere ? source.code() === char.colon : this.isKey(start, true);
    if (!isKey && !explicit) return { key, line, name: undefined, value: undefined };
    const name = this.#nodes.key(key, line);
    if (!isKey) return { key, line, name, value: null };
    source.take(1);
    this.#nodes.skipFlow();
    return { key, line, name, value: this.#flow() };
  }

  /** Reads an alias, a collection in brackets, or a scalar, whose text it returns. */
  inline(indent: number, inFlow: boolean): unknown {
    const source = this.#source;
    const code = source.code();
    this.#nodes.plain = false;
    this.#nodes.text = "";
    switch (code) {
      case char.asterisk:
        return this.#nodes.alias();
      case char.doubleQuote:
      case char.singleQuote:
        return readQuoted(source);
      case char.openBracket:
      case char.openBrace: {
        this.#nodes.enter();
        const value = code === char.openBracket ? this.#flowSequence() : this.#flowMapping();
        this.#nodes.plain = false;
        this.#nodes.text = "";
        return this.#nodes.leave(value);
      }
      default:
        if (!startsPlain(code, source.code(1), inFlow)) this.#nodes.failAt(code);
        this.#nodes.plain = true;
        return readPlain(source, indent, inFlow);
    }
  }

  /** True before a `:` that makes the node before it a key. Moves to it. */
  isKey(start: { readonly at: number; readonly line: number }, inFlow: boolean): boolean {
    const source = this.#source;
    let { at } = source;
    while (source.text.charCodeAt(at) === char.space || source.text.charCodeAt(at) === char.tab) at++;
    if (source.text.charCodeAt(at) !== char.colon) return false;
    if (!inFlow && !isBlankOrEnd(source.text.charCodeAt(at + 1))) return false;
    if (source.line !== start.line || source.at - start.at > maxKeyLength)
      source.fail("mapping values are not allowed in this context");
    source.at = at;
    return true;
  }
}

/** Value in brackets, or a key with its value. */
interface FlowPair {
  readonly key: unknown;
  readonly line: number;
  /** Name of the key; `undefined` for a value. */
  readonly name: YamlKey | undefined;
  readonly value: unknown;
}

function isClosing(code: number): boolean {
  return code === char.closeBracket || code === char.closeBrace;
}

/** True if an unquoted text may start with a character. */
function startsPlain(code: number, next: number, inFlow: boolean): boolean {
  switch (code) {
    case char.dash:
    case char.question:
    case char.colon:
      return !isBlankOrEnd(next) && !(inFlow && isFlowIndicator(next) && code !== char.dash);
    case char.hash:
    case char.ampersand:
    case char.asterisk:
    case char.bang:
    case char.bar:
    case char.greater:
    case char.percent:
    case char.at:
    case char.backtick:
      return false;
    default:
      return !isBlankOrEnd(code) && !isFlowIndicator(code);
  }
}
