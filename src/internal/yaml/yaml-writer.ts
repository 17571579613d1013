import { utf8Encode } from "../bytes.js";
import { trimEnd } from "../trim-end.js";
import { formatYamlNumber, resolvePlainScalar } from "./yaml-scalar.js";

const bestWidth = 80;
/** Longest key in bytes that is written before its colon. */
const maxKeyBytes = 128;

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
    writeEntry(out, item, indent);
  }
}

/** Writes the value after the `-` of a list or the `:` of an explicit key, which may begin with an entry of its own. */
function writeEntry(out: string[], value: unknown, indent: number): void {
  if (Array.isArray(value) && value.length > 0) {
    const inner: string[] = [];
    writeItems(inner, value, indent + 2);
    out.push(" ", inner.join("").trimStart());
  } else if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    out.push(" ");
    writeMembers(out, value as Record<string, unknown>, indent + 2, true);
  } else writeNode(out, value, { indent: indent + 2, inline: true, column: indent + 1 });
}

function writeMembers(out: string[], object: Record<string, unknown>, indent: number, firstInline: boolean): void {
  sortedKeys(object).forEach((key, index) => {
    if (!(firstInline && index === 0)) out.push(" ".repeat(indent));
    const value = object[key];
    if (!isSimpleKey(key)) {
      out.push("? ", scalar(key, indent + 2, indent + 2), "\n", " ".repeat(indent), ":");
      writeEntry(out, value, indent);
      return;
    }
    const name = scalar(key, indent, -1);
    out.push(name, ":");
    const column = indent + name.length + 1;
    writeNode(out, value, { indent: Array.isArray(value) ? indent : indent + 2, inline: true, column });
  });
}

/** True for a key that may stand before a colon. Readers search for the colon only so far, and on one line. */
function isSimpleKey(key: string): boolean {
  return !/[\n\r\u0085\u2028\u2029]/.test(key) && utf8Encode(key).length <= maxKeyBytes;
}

/** Formats a scalar. `column` is its position, or -1 if it must stay on one line. */
function scalar(value: unknown, indent: number, column: number): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return formatYamlNumber(value);
  if (typeof value !== "string") return String(value);
  const isPrintable = !/[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(value);
  if (value.includes("\n"))
    return isPrintable && !/ (?:\n|$)/.test(value) ? literal(value, indent) : doubleQuoted(value, indent, column);
  const isText =
    value !== "" &&
    // `<<` is the merge key.
    value !== "<<" &&
    typeof resolvePlainScalar(value) === "string" &&
    !/^[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d*)?$/.test(value) &&
    !/^\d{4}-\d{1,2}-\d{1,2}([Tt ].*)?$/.test(value);
  if (!isText || !isPrintable) return doubleQuoted(value, indent, column);
  if (plainAllowed(value)) return fold(value, indent, column);
  return `'${fold(value.replace(/'/g, "''"), indent, column < 0 ? column : column + 1)}'`;
}

function plainAllowed(text: string): boolean {
  if (/^[ ,[\]{}#&*!|>'"%@`]/.test(text) || text.endsWith(" ")) return false;
  if (/^[-?:](?: |$)/.test(text) || /:(?: |$)/.test(text) || text.includes(" #")) return false;
  return !text.startsWith("---") && !text.startsWith("...");
}

/** Breaks a text at spaces beyond the best width. In double quotes, a backslash keeps further spaces. */
function fold(text: string, indent: number, column: number, quoted = false): string {
  if (column < 0 || column + text.length <= bestWidth) return text;
  const lineBreak = `\n${" ".repeat(indent)}`;
  let at = column;
  let from = 0;
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const breaks = text[i] === " " && at > bestWidth && i > 0 && i < text.length - 1 && text[i - 1] !== " ";
    if (breaks && (quoted || text[i + 1] !== " ")) {
      const kept = text[i + 1] === " " ? "\\" : "";
      out += text.slice(from, i) + lineBreak + kept;
      from = i + 1;
      at = indent + kept.length;
    } else at++;
  }
  return out + text.slice(from);
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
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escaped(character: string): string {
  const point = character.codePointAt(0)!;
  if (point >= 0xd800 && point <= 0xdfff) return "\ufffd";
  const hex = point.toString(16).toUpperCase();
  const long = point > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
  return escapes[character] ?? (point > 0xff ? long : `\\x${hex.padStart(2, "0")}`);
}

/** Quotes a text and escapes everything that isn't printable, and half of a surrogate pair as what UTF-8 makes of it. */
function doubleQuoted(text: string, indent: number, column: number): string {
  const printed = text.replace(/[^ !#-[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu, escaped);
  return `"${fold(printed, indent, column < 0 ? column : column + 1, true)}"`;
}

function literal(text: string, indent: number): string {
  const lead = " ".repeat(indent);
  const trailing = text.length - trimEnd(text, "\n").length;
  const chomp = trailing === 0 ? "-" : trailing > 1 || text === "\n" ? "+" : "";
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const lines = (trailing > 0 ? text.slice(0, -1) : text).split("\n");
  return `|${hint}${chomp}\n${lines.map((line) => (line === "" ? "" : lead + line)).join("\n")}`;
}
