import { compileGoRegExp } from "../../internal/re2.js";
import { compileError } from "../parser/issues.js";
import { type CelNode, childrenOf } from "../parser/syntax.js";
import { parseDuration, parseTimestamp } from "../values/time.js";
import { checkFormat } from "./format-check.js";
import { type CelStaticType, shownType } from "./types.js";
import { sameType } from "./unify.js";

type TypeOf = (node: CelNode) => CelStaticType;

/** Checks literals in an expression: patterns, times and formats, and that lists and maps have a uniform type. */
export function checkLiterals(node: CelNode, typeOf: TypeOf, formatted = false): void {
  if (node.op === "call" || node.op === "rcall") checkArguments(node, typeOf);
  if (!formatted && (node.op === "list" || node.op === "map")) checkMembers(node, typeOf);
  const inFormat = formatted || (node.op === "rcall" && node.args[0] === "format");
  for (const child of childrenOf(node)) checkLiterals(child, typeOf, inFormat);
}

const readers: Readonly<Record<string, (value: string) => unknown>> = {
  matches: compileGoRegExp,
  duration: parseDuration,
  timestamp: parseTimestamp,
};

function checkArguments(node: CelNode & { op: "call" | "rcall" }, typeOf: TypeOf): void {
  const name = node.args[0];
  if (node.op === "rcall" && name === "format") checkFormat(node, typeOf);
  if (!Object.hasOwn(readers, name) || (node.op === "rcall" && name !== "matches")) return;
  const args = node.op === "call" ? node.args[1] : node.args[2];
  // For the function form of `matches`, kube-apiserver checks the text in place of the pattern.
  const [arg] = args;
  if (arg?.op !== "value" || typeof arg.args !== "string") return;
  try {
    readers[name]!(arg.args);
  } catch {
    throw compileError(arg.input, arg.pos, `invalid ${name} argument`); // The message doesn't contain the reason.
  }
}

function checkMembers(node: CelNode & { op: "list" | "map" }, typeOf: TypeOf): void {
  const inner = (part: CelNode, optional: boolean): CelStaticType => {
    const type = typeOf(part);
    return optional && type.kind === "optional" ? type.item : type;
  };
  const compare = (parts: readonly CelNode[], optional: ReadonlySet<number>): void => {
    const types = parts.map((part, at) => inner(part, optional.has(at)));
    const odd = types.findIndex((type) => !sameType(types[0]!, type));
    if (odd < 0) return;
    const message = `expected type '${shownType(types[0]!)}' but found '${shownType(types[odd]!)}'`;
    throw compileError(node.input, parts[odd]!.pos, message);
  };
  if (node.op === "list") return compare(node.args, node.optional);
  const keys = node.args.map(([key]) => key);
  const values = node.args.map(([, value]) => value);
  compare(keys, new Set());
  compare(values, node.optional);
}
