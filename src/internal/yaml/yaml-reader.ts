import { BlockReader } from "./yaml-blocks.js";
import type { YamlOptions } from "./yaml-entries.js";
import { FlowReader } from "./yaml-flow.js";
import { cannotStart, coreTag, YamlNodes } from "./yaml-nodes.js";
import { char, YamlSource } from "./yaml-source.js";
import { readQuoted } from "./yaml-text.js";

/**
 * Reads YAML documents into JSON values in one pass, without tokens or a tree. Its rules are those of Go's library, a
 * port of libyaml. Time and memory grow linearly with the text.
 */
export class YamlReader {
  readonly #source: YamlSource;
  readonly #nodes: YamlNodes;
  readonly #blocks: BlockReader;
  readonly #options: YamlOptions;

  constructor(text: string, options: YamlOptions) {
    this.#source = new YamlSource(text);
    this.#nodes = new YamlNodes(this.#source);
    const flow = new FlowReader(this.#source, this.#nodes, options);
    this.#blocks = new BlockReader(this.#source, this.#nodes, flow, options);
    this.#options = options;
  }

  /**
   * Reads the next document. Returns `undefined` at the end of the text. Objects in braces may follow each other without
   * `---`, because kubectl reads a stream of JSON objects, too.
   */
  next(): { readonly value: unknown } | undefined {
    const source = this.#source;
    const document = this.#document(true);
    source.skip(false);
    const continues = source.inJson && source.code() === char.openBrace;
    if (!source.ended && !source.atMark && !continues) source.fail("did not find expected <document start>");
    return document;
  }

  /**
   * Reads the first document. Go's library ignores everything after it, apart from the next token, which must be valid.
   * Returns `undefined` for an empty text.
   */
  first(): unknown {
    const source = this.#source;
    const document = this.#document(false);
    source.skip(false);
    if (!source.ended && !source.atMark) this.#checkToken();
    return document?.value;
  }

  #document(inStream: boolean): { readonly value: unknown } | undefined {
    const source = this.#source;
    if (!this.#openDocument()) return undefined;
    this.#nodes.anchors.clear();
    source.skip(false);
    source.skipByteOrderMark();
    source.skip(false);
    source.inJson = inStream && source.code() === char.openBrace;
    this.#options.onDocument?.(source.line);
    return { value: this.#blocks.block(-1, false) };
  }

  #checkToken(): void {
    const source = this.#source;
    const code = source.code();
    if (!source.fresh && source.isIndicator(char.dash))
      source.fail("block sequence entries are not allowed in this context");
    if (code === char.doubleQuote || code === char.singleQuote) readQuoted(source);
    else if (code === char.ampersand || code === char.asterisk) this.#nodes.name();
    else if (code === char.bang) this.#nodes.tag(false);
    else if (code === char.percent ? source.column > 0 : cannotStart(code)) this.#nodes.failAt(code);
  }

  /** Reads directives, `...` and `---`. Returns false at the end of the text. */
  #openDocument(): boolean {
    const source = this.#source;
    const handles = new Map([["!!", coreTag]]);
    this.#nodes.handles = handles;
    let directives = false;
    for (;;) {
      source.skip(false);
      if (source.atMark && source.code() === char.dash) {
        source.take(3);
        return true;
      }
      if (source.atMark && !directives) source.take(3);
      else if (source.code() === char.percent && source.column === 0) {
        this.#readDirective(handles);
        directives = true;
      } else if (directives) source.fail("did not find expected <document start>");
      else return !source.ended;
    }
  }

  #readDirective(handles: Map<string, string>): void {
    const source = this.#source;
    const [name, first, second] = source.takeLine().split(/[ \t]+/, 3);
    if (name === "%TAG" && first !== undefined && second !== undefined) handles.set(first, second);
    else if (name !== "%YAML") source.fail("found unknown directive name");
    else if (first !== "1.1") source.fail("found incompatible YAML document");
  }
}
