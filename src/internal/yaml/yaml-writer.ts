import { formatYamlNumber, resolvePlainScalar } from "./yaml-scalar.js";

const bestWidth = 80;

/**
 * Formats JSON data as YAML the way Go's library does: sorted keys, lists without indentation, long texts folded after
 * 80 columns.
 */
export function formatYaml(value: unknown): string {
  const out: string[] = [];
  writeNode(out, value, { indent: 0, inline: false, column: 0 });
  return out.join("");
}

function sortedKeys(object: object): string[] {
  return Object.keys(object).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Position of a value in the text. */
interface Place {
  readonly indent: number;
  /** True if the line already contains `key:` or `-`. */
  readonly inline: boolean;
  /** Column after the existing text of the line. */
  readonly column: number;
}

/** Writes the value after `key:` or `-`, or the whole document. */
function writeNode(out: string[], value: unknown, { indent, inline, column }: Place): void {
  if (Array.isArray(value)) {
    if (value.length === 0) {
      out.push(inline ? " []\n" : "[]\n");
      return;
    }
    if (inline) out.push("\n");
    writeItems(out, value, indent);
    return;
  }
  if (typeof value === "object" && value !== null) {
    if (Object.keys(value).length === 0) {
      out.push(inline ? " {}\n" : "{}\n");
      return;
    }
    if (inline) out.push("\n");
    writeMembers(out, value as Record<string, unknown>, indent, false);
    return;
  }
  if (inline) out.push(" ");
  out.push(scalar(value, indent, column + 1), "\n");
}

function writeItems(out: string[], items: readonly unknown[], indent: number): void {
  const lead = " ".repeat(indent);
  for (const item of items) {
    out.push(lead, "-");
    if (Array.isArray(item) && item.length > 0) {
      const inner: string[] = [];
      writeItems(inner, item, indent + 2);
      out.push(" ", inner.join("").trimStart());
    } else if (typeof item === "object" && item !== null && !Array.isArray(item) && Object.keys(item).length > 0) {
      out.push(" ");
      writeMembers(out, item as Record<string, unknown>, indent + 2, true);
    } else writeNode(out, item, { indent: indent + 2, inline: true, column: indent + 1 });
  }
}

function writeMembers(out: string[], object: Record<string, unknown>, indent: number, firstInline: boolean): void {
  sortedKeys(object).forEach((key, index) => {
    if (!(firstInline && index === 0)) out.push(" ".repeat(indent));
    const name = scalar(key, indent, -1);
    out.push(name, ":");
    const value = object[key];
    const column = indent + name.length + 1;
    writeNode(out, value, { indent: Array.isArray(value) ? indent : indent + 2, inline: true, column });
  });
}

/** Formats a scalar. `column` is its position, or -1 if it must stay on one line. */
function scalar(value: unknown, indent: number, column: number): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return formatYamlNumber(value);
  if (typeof value !== "string") return String(value);
  if (
    value.includes("\n") &&
    column >= 0 &&
    !/[^\n\t -~\u0085\u00a0-\ud7ff\ue000-\ufffd]/u.test(value) &&
    !/^\s*$/.test(value) &&
    !/[ \t]\n|[ \t]$/.test(value)
  )
    return literal(value, indent);
  const plain =
    value !== "" &&
    // `<<` is the merge key.
    value !== "<<" &&
    typeof resolvePlainScalar(value) === "string" &&
    !/^[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d*)?$/.test(value) &&
    !/^\d{4}-\d{1,2}-\d{1,2}([Tt ].*)?$/.test(value);
  if (!plain) return doubleQuoted(value);
  if (/[^\t -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(value) || value.includes("\n"))
    return doubleQuoted(value);
  if (plainAllowed(value)) return fold(value, indent, column);
  return `'${fold(value.replace(/'/g, "''"), indent, column < 0 ? column : column + 1)}'`;
}

function plainAllowed(text: string): boolean {
  if (/^[\s,[\]{}#&*!|>'"%@`]/.test(text) || /\s$/.test(text)) return false;
  if (/^[-?:](\s|$)/.test(text) || /:(\s|$)/.test(text) || /\s#/.test(text)) return false;
  return !text.startsWith("---") && !text.startsWith("...");
}

/** Breaks a text at spaces beyond the best width. */
function fold(text: string, indent: number, column: number): string {
  if (column < 0 || column + text.length <= bestWidth) return text;
  let at = column;
  let out = "";
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i]!;
    if (char === " " && at > bestWidth && i > 0 && i < text.length - 1 && text[i + 1] !== " " && text[i - 1] !== " ") {
      out += `\n${" ".repeat(indent)}`;
      at = indent;
    } else {
      out += char;
      at += 1;
    }
  }
  return out;
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\u000b": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\u001b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\u0085": "\\N",
  "\u00a0": "\\_",
  "\u2028": "\\L",
  "\u2029": "\\P",
  "\ufeff": "\\uFEFF",
};

function escaped(character: string): string {
  const hex = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
  return escapes[character] ?? `\\x${hex}`;
}

function doubleQuoted(text: string): string {
  return `"${text.replace(/[\0-\u001f"\\\u007f-\u00a0\u2028\u2029\ufeff]/g, escaped)}"`;
}

function literal(text: string, indent: number): string {
  const lead = " ".repeat(indent);
  const trailing = /\n*$/.exec(text)![0].length;
  const chomp = trailing === 0 ? "-" : trailing > 1 ? "+" : "";
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const lines = (trailing > 0 ? text.slice(0, -1) : text).split("\n");
  return `|${hint}${chomp}\n${lines.map((line) => (line === "" ? "" : lead + line)).join("\n")}`;
}
