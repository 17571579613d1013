import { type CelCheckOptions, type CelVariables, checkExpression } from "./checker/check.js";
import { type CelStaticType, dynType } from "./checker/types.js";
import { CelRun } from "./evaluator/evaluate.js";
import { parseCel } from "./parser/parse.js";
import { type CelNode, childrenOf } from "./parser/syntax.js";
import { CelError, type CelValue } from "./values/values.js";

/** A compiled expression. */
export interface CelProgram {
  /** Source text. */
  readonly expression: string;
  /** Static type of the result. */
  readonly type: CelStaticType;
  /** Returns the static type of a part. */
  typeOf(part: CelNode): CelStaticType;
  /** Names of the variables that it uses. */
  readonly variables: ReadonlySet<string>;
  /** Parsed expression. */
  readonly ast: CelNode;
}

/** Result of an evaluation. */
export interface CelResult {
  readonly value: CelValue;
  /** Cost of the evaluation. */
  readonly cost: number;
}

/** Default cost limit of one evaluation. */
export const celCostLimit = 1_000_000;

const parsed = new Map<string, CelNode>();
/** Maximum length of all parsed expressions that are kept. A syntax tree takes about fifty times the memory of its text. */
const mostParsed = 256 * 1024;
let parsedLength = 0;

/** Compiles an expression. `variables` declares names and types; `dyn` disables checks. Throws a `CelCompileError`. */
export function compileCel(
  expression: string,
  variables: CelVariables | Iterable<string>,
  options: CelCheckOptions = {},
): CelProgram {
  const types: CelVariables =
    variables instanceof Map
      ? (variables as CelVariables)
      : new Map([...(variables as Iterable<string>)].map((name) => [name, dynType] as const));
  const ast = parse(expression);
  const typeOf = checkExpression(ast, types, options);
  const names = new Set<string>();
  collectNames(ast, names);
  return { expression, type: typeOf(ast), typeOf, ast, variables: names };
}

/**
 * Evaluates an expression. A function among the variables is called when its variable is first used. Throws a
 * `CelError` if the evaluation fails or exceeds `costLimit` (default: 1,000,000).
 */
export function evaluateCel(
  program: CelProgram,
  variables: Readonly<Record<string, CelValue | (() => CelValue)>>,
  options: { readonly costLimit?: number } = {},
): CelResult {
  const run = new CelRun(options.costLimit ?? celCostLimit);
  const known = new Map<string, CelValue>();
  const lookUp = (name: string): CelValue | undefined => {
    if (known.has(name)) return known.get(name);
    if (!Object.hasOwn(variables, name)) return undefined;
    const given = variables[name]!;
    const found = typeof given === "function" ? (given as () => CelValue)() : given;
    known.set(name, found);
    return found;
  };
  try {
    return { value: run.evaluate(program.ast, { lookUp }), cost: Math.ceil(run.cost) };
  } catch (error) {
    if (error instanceof CelError) error.cost = Math.ceil(run.cost);
    throw error;
  }
}

function parse(expression: string): CelNode {
  let ast = parsed.get(expression);
  if (ast === undefined) {
    ast = parseCel(expression);
    if (parsedLength > mostParsed) {
      parsed.clear();
      parsedLength = 0;
    }
    parsed.set(expression, ast);
    parsedLength += expression.length;
  }
  return ast;
}

function collectNames(node: CelNode, names: Set<string>): void {
  if (node.op === "id") names.add(node.args.replace(/^\./, ""));
  for (const child of childrenOf(node)) collectNames(child, names);
}
