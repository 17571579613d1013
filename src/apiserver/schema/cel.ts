import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import { checkExpression, CelCompileError, type CelVariables } from "./cel-check.js";
import { CelRun } from "./cel-evaluate.js";
import { dynType, type CelStaticType } from "./cel-types.js";
import type { CelValue } from "./cel-values.js";

/** An expression made ready to run. */
export interface CelProgram {
  /** The text it was compiled from. */
  readonly expression: string;
  /** What is known of its value's type. */
  readonly type: CelStaticType;
  /** Names of the variables it uses. */
  readonly variables: ReadonlySet<string>;
  /** The parsed expression. */
  readonly ast: ASTNode;
}

/** What an evaluation came to. */
export interface CelResult {
  readonly value: CelValue;
  /** Steps it took. */
  readonly cost: number;
}

/** Most steps of one evaluation. */
export const celCostLimit = 1_000_000;

const parser = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits: { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000, maxCallArguments: 64 } });
const parsed = new Map<string, ASTNode>();
const mostParsed = 2000;

/**
 * Compiles an expression. `variables` tells the types of what it may name; names of a type `dyn` are not checked further. Throws a
 * `CelCompileError`.
 */
export function compileCel(expression: string, variables: CelVariables | Iterable<string>): CelProgram {
  const types: CelVariables = variables instanceof Map ? (variables as CelVariables) : new Map([...(variables as Iterable<string>)].map((name) => [name, dynType] as const));
  const ast = parse(expression);
  const type = checkExpression(ast, types);
  const names = new Set<string>();
  collectNames(ast, names);
  return { expression, type, ast, variables: names };
}

/**
 * Runs an expression with these variables; a function among them is called when its variable is first used. Throws a `CelError` where the expression
 * fails, and when it would cost more than `costLimit` steps (default one million).
 */
export function evaluateCel(program: CelProgram, variables: Readonly<Record<string, CelValue | (() => CelValue)>>, options: { readonly costLimit?: number } = {}): CelResult {
  const run = new CelRun(options.costLimit ?? celCostLimit);
  const known = new Map<string, CelValue>();
  const value = run.evaluate(program.ast, {
    lookUp(name) {
      if (known.has(name)) return known.get(name);
      if (!Object.hasOwn(variables, name)) return undefined;
      const given = variables[name]!;
      const found = (typeof given === "function" ? (given as () => CelValue)() : given);
      known.set(name, found);
      return found;
    },
  });
  return { value, cost: Math.ceil(run.cost) };
}

function parse(expression: string): ASTNode {
  let ast = parsed.get(expression);
  if (ast === undefined) {
    try {
      ast = parser.parse(expression).ast;
    } catch (error) {
      throw new CelCompileError(`ERROR: <input>:1:1: Syntax error: ${error instanceof Error ? error.message.split("\n")[0]! : String(error)}\n | ${expression}`, { cause: error });
    }
    if (parsed.size >= mostParsed) parsed.clear();
    parsed.set(expression, ast);
  }
  return ast;
}

function collectNames(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collectNames(item, names);
    return;
  }
  if (typeof node !== "object" || node === null || !("op" in node)) return;
  const { op, args } = node as ASTNode;
  if (op === "id") names.add(args);
  else collectNames(Array.isArray(args) ? args : [args], names);
}
