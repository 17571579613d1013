import type { CST, Document, Node, Pair, Scalar, YAMLMap } from "yaml";
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from "yaml";
import { setOwn } from "../set-own.js";
import type { YamlScalar } from "./yaml-scalar.js";
import { formatYamlKey, resolvePlainScalar } from "./yaml-scalar.js";

const coreTag = "tag:yaml.org,2002:";
const maxAliasedNodes = 100_000;
const maxDepth = 1_000;

/**
 * Parses all documents of a YAML or JSON text into JSON values by kubectl's rules. `yes`, `no`, `on`, `off`, `y` and
 * `n` are booleans, also as keys; `017` is 15; dates stay text; `<<` merges. Rejects duplicate keys, infinities, and
 * aliases that expand to more than 100,000 nodes. Throws a `SyntaxError` that names the line.
 */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): unknown[] {
  const lines = new LineCounter();
  try {
    const values: unknown[] = [];
    // Each document is read before the next one is composed, because its tree takes much more memory than its value.
    for (const document of composeDocuments(text, lines, options.maxTokens ?? Infinity)) {
      const [error] = document.errors;
      if (error) throw new SyntaxError(`line ${lines.linePos(error.pos[0]).line}: ${reasonOf(error.message)}`);
      options.onDocument?.(lines.linePos(document.contents?.range?.[0] ?? document.range[0]).line);
      values.push(createReader(lines, options).value(document.contents, 0));
    }
    return values;
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError("nested too deeply", { cause: error });
    throw error;
  }
}

/**
 * Parses the first document of a YAML or JSON text by kubectl's rules. Returns `null` for an empty text. Throws a
 * `SyntaxError` that names the line.
 */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  return parseYamlDocuments(text, options)[0] ?? null;
}

/** Options for `parseYaml` and `parseYamlDocuments`. */
export interface YamlOptions {
  /** Called with every duplicate key and its line; the last value wins. Default: a duplicate key is an error. */
  readonly onDuplicate?: (key: string, line: number) => void;
  /** Called with the line on which the content of each document begins. */
  readonly onDocument?: (line: number) => void;
  /** Maximum number of tokens and lines, which bounds time and memory for untrusted text. Default: no limit. */
  readonly maxTokens?: number;
}

/** Parses a text into documents. Depth and size are bounded while tokens are read, before the tree exists. */
function composeDocuments(text: string, lines: LineCounter, maxTokens: number): Iterable<Document.Parsed> {
  const composer = new Composer({
    schema: "failsafe",
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: "silent",
  });
  stopAtFirstError(composer, lines);
  return composer.compose(readTokens(text, lines, maxTokens)) as Iterable<Document.Parsed>;
}

/**
 * Makes a composer throw its first error. It would collect all of them, and each of the hundreds of thousands that a
 * text can have costs more than a token. The handler is a private member of the class.
 */
function stopAtFirstError(composer: Composer, lines: LineCounter): void {
  let first: SyntaxError | undefined;
  const onError: ComposeErrorHandler = (source, _code, message, warning) => {
    if (warning === true) return;
    const offset = typeof source === "number" ? source : "offset" in source ? source.offset : source[0];
    // The composer catches what a node throws, and reports it again for the node around it.
    throw (first ??= new SyntaxError(`line ${lines.linePos(offset).line}: ${reasonOf(message)}`));
  };
  Object.assign(composer, { onError });
}

type ComposeErrorHandler = (
  source: number | readonly [number, number] | { readonly offset: number },
  code: string,
  message: string,
  warning?: boolean,
) => void;

function* readTokens(text: string, lines: LineCounter, maxTokens: number): Generator<CST.Token, void> {
  let count = 0;
  const charge = (): void => {
    if (++count > maxTokens) throw new SyntaxError(`line ${lines.lineStarts.length}: more than ${maxTokens} tokens`);
  };
  const parser = new Parser((offset) => {
    charge();
    lines.addNewLine(offset);
  });
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    charge();
    yield* parser.next(lexeme);
    if (parser.stack.length > maxDepth) throw new SyntaxError(`line ${lines.lineStarts.length}: nested too deeply`);
  }
  yield* parser.end();
}

/** Returns the first line of the parser's message. An overflow of its stack gets a message of ours. */
function reasonOf(message: string): string {
  return /call stack/i.test(message) ? "nested too deeply" : message.split("\n", 1)[0]!;
}

/** Throws a `SyntaxError` that names the node's line. */
type Fail = (node: { range?: readonly number[] | null | undefined }, reason: string) => never;

function readScalar(node: Scalar, fail: Fail): YamlScalar {
  const source = node.type === "PLAIN" ? (node.source ?? "") : String(node.value);
  const tag = node.tag?.startsWith(coreTag) ? node.tag.slice(coreTag.length) : undefined;
  if (tag === undefined && (node.type !== "PLAIN" || node.tag !== undefined)) return String(node.value);
  if (tag === "str") return String(node.value);
  if (tag === "binary") return decodeBinary(node, fail);
  const resolved = resolvePlainScalar(source);
  if (typeof resolved === "number" && !Number.isFinite(resolved)) fail(node, `${source} is not a valid JSON number`);
  const is =
    resolved === null
      ? "null"
      : typeof resolved === "boolean"
        ? "bool"
        : typeof resolved === "number"
          ? "number"
          : "str";
  const fits =
    tag === undefined ||
    tag === "timestamp" ||
    tag === is ||
    (is === "number" && (tag === "float" || (tag === "int" && Number.isInteger(resolved))));
  if (!fits) fail(node, `the value is not a valid !!${tag}`);
  return resolved;
}

function decodeBinary(node: Scalar, fail: Fail): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(String(node.value)), (character) => character.charCodeAt(0)));
  } catch {
    // atob's message adds nothing to the line number.
    return fail(node, "the value is not valid base64");
  }
}

function createReader(
  lines: LineCounter,
  options: YamlOptions,
): { value(node: Node | null | undefined, depth: number): unknown } {
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  let aliased = 0;
  let aliasDepth = 0;

  function fail(node: { range?: readonly number[] | null | undefined }, reason: string): never {
    const offset = node.range?.[0];
    throw new SyntaxError(offset === undefined ? reason : `line ${lines.linePos(offset).line}: ${reason}`);
  }

  function value(node: Node | null | undefined, depth: number): unknown {
    if (!node) return null;
    if (depth > maxDepth) fail(node, "nested too deeply");
    if (aliasDepth > 0 && ++aliased > maxAliasedNodes)
      fail(node, `aliases expand to more than ${maxAliasedNodes} nodes`);
    if (isAlias(node)) return expand(node, (target) => value(target, depth + 1));
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isScalar(node)) return readScalar(node, fail);
    open.add(node);
    let result: unknown;
    if (isSeq(node)) result = node.items.map((item) => value(item as Node, depth + 1));
    else if (isMap(node)) result = mapping(node, depth);
    else fail(node, "unexpected content");
    open.delete(node);
    return result;
  }

  function expand<T>(node: Node & { source: string }, use: (target: Node) => T): T {
    const target = anchors.get(node.source);
    if (!target) fail(node, `unknown anchor "${node.source}"`);
    if (open.has(target)) fail(node, `anchor "${node.source}" contains itself`);
    aliasDepth++;
    try {
      return use(target);
    } finally {
      aliasDepth--;
    }
  }

  function mapping(node: YAMLMap, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const own = new Set<string>();
    const merges: Node[] = [];
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      if (isMergeKey(pair.key)) {
        if (pair.value) merges.push(pair.value);
        continue;
      }
      const key = keyOf(pair.key, node, depth);
      if (own.has(key)) {
        if (options.onDuplicate === undefined) fail(pair.key, `duplicate key ${JSON.stringify(key)}`);
        options.onDuplicate(key, lines.linePos(pair.key.range?.[0] ?? 0).line);
      }
      own.add(key);
      setOwn(result, key, value(pair.value, depth + 1));
    }
    for (const merge of merges) mergeInto(result, merge, depth);
    return result;
  }

  function keyOf(node: Node, parent: Node, depth: number): string {
    const key = value(node, depth + 1);
    const source = isScalar(node) ? (node.source ?? "") : "";
    const text = typeof key === "object" ? undefined : formatYamlKey(key as YamlScalar, source);
    return text ?? fail(node.range ? node : parent, "a key must be a string, a number or a boolean");
  }

  function mergeInto(result: Record<string, unknown>, node: Node, depth: number): void {
    if (isAlias(node)) {
      expand(node, (target) => mergeInto(result, target, depth + 1));
      return;
    }
    if (isSeq(node)) {
      for (const item of node.items) mergeInto(result, item as Node, depth + 1);
      return;
    }
    const merged = isMap(node)
      ? (value(node, depth + 1) as Record<string, unknown>)
      : fail(node, "<< requires a mapping or a list of mappings");
    for (const [key, item] of Object.entries(merged)) if (!Object.hasOwn(result, key)) setOwn(result, key, item);
  }

  return { value };
}

function isMergeKey(node: Node): boolean {
  return isScalar(node) && node.type === "PLAIN" && node.source === "<<" && node.tag === undefined;
}
