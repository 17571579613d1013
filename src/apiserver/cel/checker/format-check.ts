import { compileError } from "../parser/issues.js";
import type { CelNode } from "../parser/syntax.js";
import { type CelStaticType, shownType } from "./types.js";

/** Types that each format verb accepts. */
const clauses: Readonly<Partial<Record<string, string>>> = {
  s: "list map int uint double bool string timestamp bytes duration type null_type",
  d: "int uint",
  f: "double string",
  e: "double string",
  b: "int uint bool",
  x: "int uint string bytes",
  X: "int uint string bytes",
  o: "int uint",
};

/** Checks a literal format string against the list of its arguments. Throws a `CelCompileError`. */
export function checkFormat(node: CelNode & { op: "rcall" }, typeOf: (node: CelNode) => CelStaticType): void {
  const [, target, [values]] = node.args;
  if (target.op !== "value" || typeof target.args !== "string" || values?.op !== "list") return;
  const fail = (message: string): never => {
    throw compileError(node.input, node.pos, message);
  };
  let next = 0;
  for (const [clause, , verb = ""] of target.args.matchAll(/%%|%(\.\d+)?(.)?/gs)) {
    if (clause === "%%") continue;
    const kinds = clauses[verb];
    const value = values.args[next];
    if (kinds === undefined) fail(`unrecognized formatting clause "${verb}"`);
    if (value === undefined) return fail(`index ${String(next)} out of range`);
    const type = typeOf(value);
    if (type.kind !== "dyn" && !kinds!.split(" ").includes(type.kind))
      fail(`%${verb} cannot format a value of type ${shownType(type)}`);
    next += 1;
  }
  if (values.args.length > next) fail(`too many arguments supplied to string.format (expected ${String(next)})`);
}
