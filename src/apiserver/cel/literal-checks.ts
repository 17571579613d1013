import { compileGoRegExp } from "../internal/re2.js";
import { checkFormat } from "./format-check.js";
import type { CelIssue } from "./issues.js";
import { type CelNode, childrenOf } from "./syntax.js";
import { parseDuration, parseTimestamp } from "./time.js";
import { type CelStaticType, shownType } from "./types.js";
import { sameType } from "./unify.js";

type TypeOf = (node: CelNode) => CelStaticType;

/** Checks what is written out in an expression: patterns, times, formats, and that lists and maps hold values of one type. */
export function checkLiterals(node: CelNode, typeOf: TypeOf, issues: CelIssue[], formatted = false): void {
  if (node.op === "call" || node.op === "rcall") checkArguments(node, typeOf, issues);
  if (!formatted && (node.op === "list" || node.op === "map")) checkMembers(node, typeOf, issues);
  const inFormat = formatted || (node.op === "rcall" && node.args[0] === "format");
  for (const child of childrenOf(node)) checkLiterals(child, typeOf, issues, inFormat);
}

const readers: Readonly<Record<string, (value: string) => unknown>> = {
  matches: compileGoRegExp,
  duration: parseDuration,
  timestamp: parseTimestamp,
};

function checkArguments(node: CelNode & { op: "call" | "rcall" }, typeOf: TypeOf, issues: CelIssue[]): void {
  const name = node.args[0];
  if (node.op === "rcall" && name === "format") checkFormat(node, typeOf, issues);
  if (!Object.hasOwn(readers, name) || (node.op === "rcall" && name !== "matches")) return;
  const args = node.op === "call" ? node.args[1] : node.args[2];
  // Of the function `matches` a server looks at the text where it means the pattern.
  const [arg] = args;
  if (arg?.op !== "value" || typeof arg.args !== "string") return;
  try {
    readers[name]!(arg.args);
  } catch {
    issues.push({ pos: arg.pos, message: `invalid ${name} argument` }); // What is wrong with it is not told.
  }
}

function checkMembers(node: CelNode & { op: "list" | "map" }, typeOf: TypeOf, issues: CelIssue[]): void {
  const inner = (part: CelNode, optional: boolean): CelStaticType => {
    const type = typeOf(part);
    return optional && type.kind === "optional" ? type.item : type;
  };
  const compare = (parts: readonly CelNode[], optional: ReadonlySet<number>, all: boolean): void => {
    const [first, ...others] = parts;
    if (first === undefined) return;
    const wanted = inner(first, optional.has(0));
    for (const [at, part] of others.entries()) {
      const given = inner(part, optional.has(at + 1));
      if (sameType(wanted, given)) continue;
      issues.push({ pos: part.pos, message: `expected type '${shownType(wanted)}' but found '${shownType(given)}'` });
      if (!all) return;
    }
  };
  if (node.op === "list") return compare(node.args, node.optional, false);
  compare(
    node.args.map(([key]) => key),
    new Set(),
    true,
  );
  compare(
    node.args.map(([, value]) => value),
    node.optional,
    true,
  );
}
