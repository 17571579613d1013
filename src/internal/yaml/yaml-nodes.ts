import { setOwn } from "../set-own.js";
import type { YamlKey } from "./yaml-entries.js";
import type { YamlScalar } from "./yaml-scalar.js";
import { formatYamlKey, resolveScalar } from "./yaml-scalar.js";
import type { YamlSource } from "./yaml-source.js";
import { char, isBlankOrEnd, isFlowIndicator } from "./yaml-source.js";

const maxAliasedNodes = 100_000;
const maxDepth = 1_000;
/** Prefix of YAML's own tags. */
export const coreTag = "tag:yaml.org,2002:";

/** Tag and anchor before a node. */
export interface Properties {
  tag?: string;
  anchor?: string;
  /** The node of the anchor. */
  node?: Anchored;
}

/** Node with an anchor. It has no value while it is being read. */
export interface Anchored {
  value: unknown;
  open: boolean;
}

/** Scalars, anchors, tags and the depth of the nodes of a text, for both styles of collections. */
export class YamlNodes {
  readonly #source: YamlSource;
  /** Nodes with anchors of the document. */
  readonly anchors: Map<string, Anchored> = new Map();
  /** Prefixes by handles of tags. */
  handles: ReadonlyMap<string, string> = new Map();
  /** Items of all open lists. */
  readonly items: unknown[] = [];
  /** Text of the last node; empty for an alias and a collection. */
  text = "";
  /** True if the last node is an unquoted scalar without a tag. */
  plain = false;
  #depth = 0;
  #aliased = 0;

  constructor(source: YamlSource) {
    this.#source = source;
  }

  /** Returns the value of a node from `FlowReader.inline`, in which a scalar is still its text. */
  resolve(node: unknown, tag: string | undefined, line: number): unknown {
    return typeof node === "string" ? this.scalar(node, this.plain, tag, line) : node;
  }

  /** Returns the value of a scalar with this text. */
  scalar(text: string, plain: boolean, tag: string | undefined, line: number): YamlScalar {
    this.text = text;
    this.plain = plain && tag === undefined;
    if (tag === undefined && !plain) return text;
    const core = tag?.startsWith(coreTag) === true ? tag.slice(coreTag.length) : undefined;
    if (tag !== undefined && core === undefined) return text;
    return resolveScalar(text, core, this.#source, line);
  }

  /** Returns the value of a node without content: `null`, unless a tag says otherwise. */
  empty(properties: Properties | undefined): unknown {
    this.open(properties);
    const value = this.scalar("", true, properties?.tag, this.#source.line);
    this.close(properties, value);
    return value;
  }

  /** Reads anchors and tags: in brackets all, in a block those of the line. */
  properties(inFlow: boolean): Properties | undefined {
    const source = this.#source;
    const { line } = source;
    let found: Properties | undefined;
    for (;;) {
      const code = source.code();
      if (code === char.ampersand) found = this.combine(found, { anchor: this.name() });
      else if (code === char.bang) found = this.combine(found, { tag: this.tag(inFlow) });
      else return found;
      if (inFlow) this.skipFlow();
      else source.skip(false);
      if (!inFlow && source.line !== line) return found;
    }
  }

  /** Joins the properties on a line of their own with those next to the node. */
  combine(outer: Properties | undefined, inner: Properties | undefined): Properties | undefined {
    if (outer === undefined || inner === undefined) return outer ?? inner;
    const both = outer.anchor !== undefined && inner.anchor !== undefined;
    if (both || (outer.tag !== undefined && inner.tag !== undefined))
      this.#source.fail("did not find expected node content");
    return { ...outer, ...inner };
  }

  /** Reads the name of an anchor or alias. */
  name(): string {
    const source = this.#source;
    const name = /[\w-]*/y;
    name.lastIndex = source.at + 1;
    const [text] = name.exec(source.text)!;
    const next = source.code(1 + text.length);
    if (text === "" || !(isBlankOrEnd(next) || "?:,]}%@`".includes(String.fromCharCode(next))))
      source.fail("did not find expected alphabetic or numeric character");
    source.take(1 + text.length);
    return text;
  }

  /** Reads a tag, and resolves its handle. */
  tag(inFlow: boolean): string {
    const source = this.#source;
    const tag = /!(?:<[^<>\s]*>|[\w\-;/?:@&=+$.!~*'()%]*)/y;
    tag.lastIndex = source.at;
    const [text] = tag.exec(source.text)!;
    source.take(text.length);
    if (!isBlankOrEnd(source.code()) && !(inFlow && isFlowIndicator(source.code())))
      source.fail("did not find expected whitespace or line break");
    return this.#resolveTag(text);
  }

  #resolveTag(text: string): string {
    const verbatim = /^!<(.+)>$/.exec(text)?.[1];
    if (verbatim !== undefined) return verbatim;
    const [, handle, suffix] = /^(!(?:[\w-]*!)?)(.*)$/.exec(text)!;
    const prefix = this.handles.get(handle!) ?? (handle === "!" ? "!" : undefined);
    if (prefix === undefined) this.#source.fail("found undefined tag handle");
    return prefix + suffix!;
  }

  /** Reads an alias. Returns a copy of the node that it stands for. */
  alias(): unknown {
    const source = this.#source;
    const name = this.name();
    const target = this.anchors.get(name);
    if (target === undefined) return source.fail(`unknown anchor "${name}"`);
    if (target.open) source.fail(`anchor "${name}" contains itself`);
    return this.#copy(target.value, this.#depth);
  }

  /** Copies the value of an anchor, which another alias or a merge must not share. */
  #copy(value: unknown, depth: number): unknown {
    if (++this.#aliased > maxAliasedNodes) this.#source.fail(`aliases expand to more than ${maxAliasedNodes} nodes`);
    if (depth > maxDepth) this.#source.fail("nested too deeply");
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#copy(item, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) setOwn(copy, key, this.#copy(item, depth + 1));
    return copy;
  }

  /** Makes the anchor of a node known, before the node is read. */
  open(properties: Properties | undefined): void {
    if (properties?.anchor === undefined) return;
    properties.node = { value: undefined, open: true };
    this.anchors.set(properties.anchor, properties.node);
  }

  /** Stores the value of an anchor, unless it has one: a key's anchor isn't that of the mapping. */
  close(properties: Properties | undefined, value: unknown): void {
    if (properties?.node?.open !== true) return;
    properties.node.value = value;
    properties.node.open = false;
  }

  /** Counts a nested node. */
  enter(): void {
    if (++this.#depth > maxDepth) this.#source.fail("nested too deeply");
  }

  /** Ends a nested node, and returns its value. */
  leave(value: unknown): unknown {
    this.#depth--;
    return value;
  }

  /** Ends a list. Its array has no room to grow, unlike one that was filled. */
  takeItems(from: number): unknown[] {
    const items = this.items.slice(from);
    this.items.length = from;
    return items;
  }

  /** Returns the last node as a key. */
  key(value: unknown, line: number): YamlKey {
    const text = typeof value === "object" ? undefined : formatYamlKey(value as YamlScalar, this.text);
    if (text === undefined) this.#source.fail("a key must be a string, a number or a boolean", line);
    return { text, line, merges: text === "<<" && this.plain };
  }

  /** Throws the error for a character that can't follow. */
  failAt(code: number): never {
    if (code === char.colon) this.#source.fail("mapping values are not allowed in this context");
    if (cannotStart(code)) this.#source.fail("found character that cannot start any token");
    return this.#source.fail("did not find expected node content");
  }

  /** Skips blanks, line ends and comments in brackets, which don't end before the closing one. */
  skipFlow(): void {
    const source = this.#source;
    source.skip(true);
    if (source.ended) source.fail("found unexpected end of stream");
    if (source.atMark) source.fail("found unexpected document indicator");
  }
}

/** True for a character with which no token may start. */
export function cannotStart(code: number): boolean {
  return code === char.tab || code === char.percent || code === char.at || code === char.backtick;
}
