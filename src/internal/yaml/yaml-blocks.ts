import type { YamlKey, YamlOptions } from "./yaml-entries.js";
import { YamlEntries } from "./yaml-entries.js";
import type { FlowReader } from "./yaml-flow.js";
import type { Properties, YamlNodes } from "./yaml-nodes.js";
import type { YamlSource } from "./yaml-source.js";
import { char } from "./yaml-source.js";
import { readBlockText } from "./yaml-text.js";

/** The place of a node that may turn out to be a key. */
interface Start {
  readonly at: number;
  readonly line: number;
  readonly column: number;
  readonly fresh: boolean;
}

/** Reads nodes whose structure is their indentation. */
export class BlockReader {
  readonly #source: YamlSource;
  readonly #nodes: YamlNodes;
  readonly #flow: FlowReader;
  readonly #options: YamlOptions;

  constructor(source: YamlSource, nodes: YamlNodes, flow: FlowReader, options: YamlOptions) {
    this.#source = source;
    this.#nodes = nodes;
    this.#flow = flow;
    this.#options = options;
  }

  /** Reads a node of a block. It ends before a token that is indented by `parent` columns or less. */
  block(parent: number, inMapping: boolean): unknown {
    const source = this.#source;
    this.#nodes.enter();
    let outer: Properties | undefined;
    for (;;) {
      source.skip(false);
      if (this.#endsBlock(parent, inMapping)) return this.#nodes.leave(this.#nodes.empty(outer));
      const start = { at: source.at, line: source.line, column: source.column, fresh: source.fresh };
      const inner = this.#nodes.properties(false);
      if (inner === undefined || source.line === start.line)
        return this.#nodes.leave(this.#blockContent(parent, start, outer, inner));
      // Properties on a line of their own belong to the whole node, others perhaps to a key.
      outer = this.#nodes.combine(outer, inner);
    }
  }

  #endsBlock(parent: number, inMapping: boolean): boolean {
    const source = this.#source;
    if (source.ended || source.atMark) return true;
    if (!source.fresh || source.column > parent) return false;
    // A list may be indented as little as its key.
    return !(inMapping && source.column === parent && source.isIndicator(char.dash));
  }

  #blockContent(parent: number, start: Start, outer: Properties | undefined, inner: Properties | undefined): unknown {
    this.#nodes.open(outer);
    this.#nodes.open(inner);
    const value = this.#content(parent, start, outer, inner);
    this.#nodes.close(inner, value);
    this.#nodes.close(outer, value);
    return value;
  }

  /** Reads a node after its properties. If the node is a key, the `inner` ones are those of the key. */
  #content(parent: number, start: Start, outer: Properties | undefined, inner: Properties | undefined): unknown {
    const source = this.#source;
    const code = source.code();
    if (code === char.dash && source.isIndicator(code)) {
      if (!start.fresh || inner !== undefined) source.fail("block sequence entries are not allowed in this context");
      return this.#sequence(source.column, source.column === parent);
    }
    if (code === char.question && source.isIndicator(code)) {
      if (!start.fresh || inner !== undefined) source.fail("mapping keys are not allowed in this context");
      return this.#mapping(source.column, undefined);
    }
    if (Number.isNaN(code)) return this.#nodes.scalar("", true, this.#nodes.combine(outer, inner)?.tag, start.line);
    if (code === char.bar || code === char.greater) {
      const text = readBlockText(source, parent);
      return this.#nodes.scalar(text, false, this.#nodes.combine(outer, inner)?.tag, start.line);
    }
    if (code === char.asterisk && inner !== undefined) this.#nodes.failAt(code);
    const node = this.#flow.inline(parent + 1, false);
    const isKey = this.#flow.isKey(start, false);
    if (!isKey && code === char.asterisk && outer !== undefined) this.#nodes.failAt(code);
    if (isKey && !start.fresh) source.fail("mapping values are not allowed in this context");
    const properties = isKey ? inner : this.#nodes.combine(outer, inner);
    const value = this.#nodes.resolve(node, properties?.tag, start.line);
    if (!isKey) return value;
    this.#nodes.close(inner, value);
    return this.#mapping(start.column, this.#nodes.key(value, start.line));
  }

  #sequence(column: number, inMapping: boolean): unknown[] {
    const source = this.#source;
    const from = this.#nodes.items.length;
    for (;;) {
      source.takeIndicator();
      this.#nodes.items.push(this.block(column, false));
      source.skip(false);
      if (this.#closes(column)) return this.#nodes.takeItems(from);
      const here = source.fresh && source.column === column;
      if (here && source.isIndicator(char.dash)) continue;
      if (here && inMapping) return this.#nodes.takeItems(from);
      source.fail("did not find expected '-' indicator");
    }
  }

  /** True at the end of a block collection. */
  #closes(column: number): boolean {
    const source = this.#source;
    return source.ended || source.atMark || (source.fresh && source.column < column);
  }

  /** Reads a mapping from its first `:`, or from a `?`. */
  #mapping(column: number, first: YamlKey | undefined): Record<string, unknown> {
    const source = this.#source;
    const entries = new YamlEntries(source, this.#options);
    let key = first;
    for (;;) {
      if (key === undefined) {
        const { line } = source;
        source.takeIndicator();
        key = this.#nodes.key(this.block(column, true), line);
        source.skip(false);
        const hasValue = source.fresh && source.column === column && source.isIndicator(char.colon);
        if (hasValue) source.takeIndicator();
        entries.add(key, hasValue ? this.block(column, true) : null);
      } else {
        source.take(1);
        entries.add(key, this.block(column, true));
      }
      source.skip(false);
      if (this.#closes(column)) return entries.finish();
      if (!source.fresh || source.column !== column) source.fail("did not find expected key");
      key = source.isIndicator(char.question) ? undefined : this.#implicitKey(column);
    }
  }

  /** Reads a key up to the `:` after it. */
  #implicitKey(column: number): YamlKey {
    const source = this.#source;
    const start = { at: source.at, line: source.line, column, fresh: true };
    const properties = this.#nodes.properties(false);
    if (source.line !== start.line || source.isIndicator(char.dash)) source.fail("did not find expected key");
    if (source.code() === char.asterisk && properties !== undefined) this.#nodes.failAt(char.asterisk);
    this.#nodes.open(properties);
    const node = this.#flow.inline(column + 1, false);
    if (!this.#flow.isKey(start, false)) source.fail("could not find expected ':'", start.line);
    const value = this.#nodes.resolve(node, properties?.tag, start.line);
    this.#nodes.close(properties, value);
    return this.#nodes.key(value, start.line);
  }
}
