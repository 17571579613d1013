import { isBinding, type MacroForm, rangeMacro } from "../parser/macro-forms.js";
import type { CelCallNode, CelMethodNode, CelNode } from "../parser/syntax.js";
import { celCompare } from "../values/equality.js";
import { CelError, CelOptional, type CelValue, isCelList, isCelMap, LiteralMap } from "../values/values.js";
import { selfComparison } from "./call-steps.js";
import { boolean, type CelScope, type Evaluator } from "./operations.js";

/** Evaluates a macro call; returns `undefined` for other calls. */
export function evaluateMacro(
  run: Evaluator,
  node: CelCallNode | CelMethodNode,
  scope: CelScope,
): CelValue | undefined {
  if (node.op === "call") {
    const [called, given] = node.args;
    return called === "has" && given.length === 1 ? has(run, given[0]!, scope) : undefined;
  }
  const [name, , args] = node.args;
  if (isBinding(name, args.length)) return name === "sortBy" ? sortBy(run, node, scope) : mapOptional(run, node, scope);
  const form = rangeMacro(name, args.length);
  return form === undefined ? undefined : comprehend(run, node, form, scope);
}

function bind(scope: CelScope, values: ReadonlyMap<string, CelValue>): CelScope {
  return { lookUp: (name) => values.get(name) ?? scope.lookUp(name) };
}

/** Returns the name of an iteration variable. Throws a `CelError`. */
export function variableName(node: CelNode | undefined): string {
  if (node?.op !== "id") throw new CelError("argument must be a simple name");
  return node.args;
}

function has(run: Evaluator, node: CelNode, scope: CelScope): boolean {
  if (node.op !== "." && node.op !== ".?") throw new CelError("invalid argument to has() macro");
  const target = run.evaluate(node.args[0], scope);
  const inner = target instanceof CelOptional ? target.value : target;
  // A value that isn't a map, such as a deletion's object, has no fields; that isn't an error.
  return inner !== undefined && isCelMap(inner) && inner.field(node.args[1]) !== undefined;
}

function mapOptional(run: Evaluator, node: CelMethodNode, scope: CelScope): CelValue {
  const [name, target, args] = node.args;
  const before = run.cost;
  const optional = run.evaluate(target, scope);
  if (!(optional instanceof CelOptional)) throw new CelError("no such overload");
  // The target is evaluated twice: to test for a value, and to bind it in a loop over an empty list.
  run.spend(optional.value === undefined ? 1 : run.cost - before + 1 + (name === "optMap" ? 1 : 0));
  if (optional.value === undefined) return optional;
  const result = run.evaluate(args[1]!, bind(scope, new Map([[variableName(args[0]), optional.value]])));
  return name === "optMap" ? new CelOptional(result) : result;
}

function sortBy(run: Evaluator, node: CelMethodNode, scope: CelScope): CelValue {
  const [, target, args] = node.args;
  const list = run.evaluate(target, scope);
  if (!isCelList(list)) throw new CelError("no such overload");
  const name = variableName(args[0]);
  run.spend(2);
  const keyed = list.map((item) => {
    run.spend(macroSteps.append);
    return [run.evaluate(args[1]!, bind(scope, new Map([[name, item]]))), item] as const;
  });
  run.spend(selfComparison(keyed.map(([key]) => key)));
  return keyed.sort(([left], [right]) => celCompare(left, right)).map(([, item]) => item);
}

/**
 * Cost of an iteration apart from its expression, as in cel-go: testing the accumulator (a variable and a call, plus a
 * negation for `exists`), reading it again, and appending a list with one element.
 */
const macroSteps = { all: 3, exists: 4, count: 2, append: 12, insert: 3 } as const;

/** Elements of a list or entries of a map, which a macro iterates over. */
interface Range {
  readonly length: number;
  /** Returns the key of a map's entry or the index of an element. */
  key(place: number): CelValue;
  value(place: number): CelValue;
  /** Returns what a macro with one variable sees: a map's key or an element. */
  single(place: number): CelValue;
}

function rangeOf(value: CelValue): Range {
  if (isCelMap(value)) {
    const keys = value.keys();
    const key = (place: number): CelValue => keys[place]!;
    return { length: keys.length, key, value: (place) => value.get(key(place)) ?? null, single: key };
  }
  if (!isCelList(value)) throw new CelError("no such overload");
  const element = (place: number): CelValue => value[place]!;
  return { length: value.length, key: BigInt, value: element, single: element };
}

/** The part of a macro that runs once per entry. */
type Step = (node: CelNode, place: number, more?: number) => CelValue;

/** Evaluates a macro over a range. One variable iterates over elements or keys, two over indices or keys and values. */
function comprehend(run: Evaluator, macro: CelMethodNode, form: MacroForm, scope: CelScope): CelValue {
  const [name, target, args] = macro.args;
  const range = rangeOf(run.evaluate(target, scope));
  const first = variableName(args[0]);
  const second = form.variables === 2 ? variableName(args[1]) : undefined;
  const rest = args.slice(form.variables);
  const at: Step = (node, place, more = 0) => {
    run.spend(more);
    const values: [string, CelValue][] =
      second === undefined
        ? [[first, range.single(place)]]
        : [
            [first, range.key(place)],
            [second, range.value(place)],
          ];
    return run.evaluate(node, bind(scope, new Map(values)));
  };
  const holds = (place: number, more: number): boolean => {
    const held = boolean(at(rest[0]!, place));
    if (held) run.spend(more);
    return held;
  };
  switch (name) {
    case "all":
    case "exists":
      return quantify(
        range.length,
        name === "exists",
        (place) => boolean(at(rest[0]!, place, macroSteps[name])),
        () => run.spend(macroSteps[name] - 1),
      );
    case "exists_one":
    case "existsOne":
      run.spend(1);
      return places(range, (place) => holds(place, macroSteps.count)).length === 1;
    case "filter":
      return places(range, (place) => holds(place, macroSteps.append + 1)).map((place) => range.single(place));
    default:
      return transform(run, name, { range, rest, at });
  }
}

/** Returns the positions that a test accepts. */
function places({ length }: Range, accepts: (place: number) => boolean): number[] {
  const accepted: number[] = [];
  for (let place = 0; place < length; place += 1) if (accepts(place)) accepted.push(place);
  return accepted;
}

function fail(): never {
  throw new CelError("no such overload");
}

/** Evaluates `all` or `exists`: an error doesn't matter if another element decides. Calls `stop` if elements remain. */
function quantify(count: number, decisive: boolean, holds: (place: number) => boolean, stop: () => void): boolean {
  let failure: CelError | undefined;
  for (let place = 0; place < count; place += 1) {
    try {
      if (holds(place) === decisive) {
        if (place + 1 < count) stop();
        return decisive;
      }
    } catch (error) {
      if (!(error instanceof CelError) || error.message.startsWith("operation cancelled")) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

function transform(
  run: Evaluator,
  name: string,
  { range, rest, at }: { readonly range: Range; readonly rest: readonly CelNode[]; readonly at: Step },
): CelValue {
  const filter = rest.length === 2 ? rest[0] : undefined;
  const step = rest.at(-1)!;
  const kept = places(range, (place) => filter === undefined || boolean(at(filter, place)));
  if (name === "map" || name === "transformList") return kept.map((place) => at(step, place, macroSteps.append));
  if (name === "transformMap")
    return new LiteralMap(kept.map((place) => [range.key(place), at(step, place, macroSteps.insert)] as const));
  return new LiteralMap(
    kept.flatMap((place) => {
      const made = at(step, place, macroSteps.insert);
      if (!isCelMap(made)) return fail();
      run.work(made.size);
      return made.keys().map((key) => [key, made.get(key) ?? null] as const);
    }),
  );
}
