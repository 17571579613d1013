import { ProtocolError } from "../../errors/errors.js";

/** Characters that Go's YAML library rejects. A byte order mark is only allowed at the start. */
const control = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Decodes a YAML document from UTF-8, or from UTF-16 with a byte order mark. Throws the error of Go's library for
 * invalid bytes.
 */
export function yamlText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProtocolError(`yaml: the text is not valid ${encoding}`, { cause });
  }
  if (control.test(text)) throw new ProtocolError("yaml: control characters are not allowed");
  return text;
}

/** Returns the first document and ignores the rest. Throws for a YAML version that Go's library doesn't support. */
export function firstYamlDocument(text: string): string {
  // Fast path: most bodies are a single document without such lines.
  if (!/^(?:---|\.\.\.|%)/m.test(text)) return text;
  const line = /.*(?:\r\n|\n|\r|$)/y;
  let started = false;
  for (let at = 0; at < text.length; ) {
    line.lastIndex = at;
    const whole = line.exec(text)![0];
    const mark = /^(?:---|\.\.\.)(?=\s|$)/.exec(whole)?.[0];
    if (!started) {
      const version = /^%YAML\s+(\S+)/.exec(whole)?.[1];
      if (version !== undefined && version !== "1.1") throw new ProtocolError("yaml: found incompatible YAML document");
      started = mark === "---" || (mark === undefined && !/^\s*(?:#|$)|^%/.test(whole));
    } else if (mark !== undefined) return text.slice(0, at);
    at += whole.length;
  }
  return text;
}

/**
 * Returns the first value of a document that starts with a bracket or a quote: Go's library ignores what follows, apart
 * from the next token. Returns `undefined` if nothing follows, if the value is a key, or if the next token is invalid.
 */
export function firstYamlValue(text: string): string | undefined {
  const start = /^(?:\s|#.*|%.*\n|---(?=\s))*/.exec(text)![0].length;
  const end = /^[[{"']/.test(text[start] ?? "") ? endOfValue(text, start) : -1;
  if (end < 0) return undefined;
  const rest = text.slice(end);
  if (/^[^\S\n]*(?::(?=\s|$)|-\s|$)/.test(rest)) return undefined;
  const next = rest.replace(/^(?:\s|(?<=\s)#.*)*/, "");
  if (
    next === "" ||
    /^[@`]/.test(next) ||
    (next.startsWith("%") && !/\n%/.test(rest)) ||
    /^\n?\t/.test(rest) ||
    (/^["']/.test(next) && endOfQuoted(next, 0) < 0)
  )
    return undefined;
  return text.slice(0, end);
}

function endOfQuoted(text: string, start: number): number {
  const quoted = text[start] === '"' ? /"(?:[^"\\]|\\[^])*"/y : /'(?:[^']|'')*'/y;
  quoted.lastIndex = start;
  return quoted.test(text) ? quoted.lastIndex : -1;
}

/** Returns the end of a value in brackets or quotes, or -1. */
function endOfValue(text: string, start: number): number {
  if (/["']/.test(text[start]!)) return endOfQuoted(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (/["']/.test(character) && /[[{,:\s]/.test(text[at - 1]!)) {
      const end = endOfQuoted(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (character === "#" && /\s/.test(text[at - 1]!)) {
      const line = text.indexOf("\n", at);
      if (line < 0) return -1;
      at = line;
    }
  }
  return -1;
}
