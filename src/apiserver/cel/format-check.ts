import type { CelIssue } from "./issues.js";
import type { CelNode } from "./syntax.js";
import { type CelStaticType, fullTypeName } from "./types.js";

interface Clause {
  readonly kinds: readonly string[];
  readonly wording: (type: string) => string;
}

const clauses: Readonly<Record<string, Clause>> = {
  s: {
    kinds: [
      "list",
      "map",
      "int",
      "uint",
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null_type",
    ],
    wording: (type) =>
      `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${type}`,
  },
  d: { kinds: ["int", "uint"], wording: (type) => `decimal clause can only be used on integers, was given ${type}` },
  f: {
    kinds: ["double", "string"],
    wording: (type) => `fixed-point clause can only be used on doubles, was given ${type}`,
  },
  e: {
    kinds: ["double", "string"],
    wording: (type) => `scientific clause can only be used on doubles, was given ${type}`,
  },
  b: {
    kinds: ["int", "uint", "bool"],
    wording: (type) => `only integers and bools can be formatted as binary, was given ${type}`,
  },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    wording: (type) => `only integers, byte buffers, and strings can be formatted as hex, was given ${type}`,
  },
  o: { kinds: ["int", "uint"], wording: (type) => `octal clause can only be used on integers, was given ${type}` },
};

/** Checks a format that is written out against the list of values after it. */
export function checkFormat(
  node: CelNode & { op: "rcall" },
  typeOf: (node: CelNode) => CelStaticType,
  issues: CelIssue[],
): void {
  const [, target, [values]] = node.args;
  if (target.op !== "value" || typeof target.args !== "string" || values?.op !== "list") return;
  const format = target.args;
  const report = (pos: number, message: string): void => {
    issues.push({ pos, message });
  };
  let next = 0;
  for (let at = format.indexOf("%"); at >= 0; at = format.indexOf("%", at)) {
    if (format[at + 1] === "%") {
      at += 2;
      continue;
    }
    if (at === format.length - 1) return report(node.pos, "unexpected end of string");
    const [whole, , verb] = /^%(\.\d+)?(.)?/s.exec(format.slice(at))!;
    const clause = clauses[verb === "X" ? "x" : (verb ?? "")];
    const value = values.args[next];
    if (value === undefined) return report(node.pos, `index ${String(next)} out of range`);
    if (clause === undefined)
      return report(node.pos, `could not parse formatting clause: unrecognized formatting clause "${verb ?? ""}"`);
    const type = typeOf(value);
    if (type.kind !== "dyn" && !clause.kinds.includes(type.kind))
      return report(value.pos, `error during formatting: ${clause.wording(fullTypeName(type).replace(/\(.*/s, ""))}`);
    next += 1;
    at += whole.length;
  }
  if (values.args.length > next)
    report(
      node.pos,
      `too many arguments supplied to string.format (expected ${String(next)}, got ${String(values.args.length)})`,
    );
}
