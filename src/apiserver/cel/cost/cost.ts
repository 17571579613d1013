import type { Schema } from "../../schema/schema.js";
import type { CelStaticType } from "../checker/types.js";
import { isBinding, rangeMacro } from "../parser/macro-forms.js";
import type { CelNode } from "../parser/syntax.js";
import { callCost } from "./call-cost.js";
import { capped, type Estimate, type Size, sizeOf } from "./estimate.js";
import { largestAt } from "./sizes.js";

const one: Size = { min: 1, max: 1 };
const nothing: Size = { min: 2 ** 64, max: 0 };

type Scope = ReadonlyMap<string, Pick<Estimate, "path" | "entry" | "size">>;

/** Input of an estimate: the schema of `self`, whether it is a whole object, and the types of all parts. */
interface Given {
  readonly schema: Schema;
  readonly root: boolean;
  typeOf(node: CelNode): CelStaticType;
}

/** Estimates the maximum cost of an expression on the largest values of a schema, as kube-apiserver does. */
export function estimateCost(node: CelNode, given: Given): number {
  return estimate(node, new Map(), given).cost;
}

function estimate(node: CelNode, scope: Scope, given: Given): Estimate {
  const { path = [], ...found } = parts(node, scope, given);
  const type = given.typeOf(node);
  const size =
    found.size ??
    sizeByPath(path, given) ??
    (isScalar(type) ? one : undefined) ??
    (node.op === "id" ? scope.get(node.args)?.size : undefined);
  const literal = node.op === "value" && typeof node.args === "bigint" ? node.args : undefined;
  return { ...found, cost: capped(found.cost), path, type, size, literal };
}

function sizeByPath(path: readonly string[], { schema, root }: Given): Size | undefined {
  // The first element is the variable itself.
  const max = path.length === 0 ? undefined : largestAt(schema, path.slice(1), root);
  return max === undefined ? undefined : { min: 0, max };
}

function isScalar(type: CelStaticType): boolean {
  return (
    ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind) ||
    (type.kind === "optional" && isScalar(type.item))
  );
}

const libraries = new Set(["sets", "ip", "strings", "jsonpatch", "format", "math", "base64", "lists", "optional"]);

type Parts = Pick<Estimate, "cost" | "size" | "entry"> & { readonly path?: readonly string[] };

function parts(node: CelNode, scope: Scope, given: Given): Parts {
  const of = (each: CelNode): Estimate => estimate(each, scope, given);
  const sum = (each: readonly CelNode[]): number => each.reduce((total, one_) => total + of(one_).cost, 0);
  switch (node.op) {
    case "value": {
      const length =
        typeof node.args === "string" ? [...node.args].length : node.args instanceof Uint8Array ? node.args.length : 1;
      return { cost: 0, size: { min: length, max: length } };
    }
    case "id": {
      const known = scope.get(node.args);
      return { cost: 1, path: known?.path ?? [node.args.replace(/^\./, "")], entry: known?.entry };
    }
    case ".": {
      const target = of(node.args[0]);
      return {
        cost: target.cost + (["map", "object", "param"].includes(target.type.kind) ? 1 : 0),
        path: [...target.path, node.args[1]],
      };
    }
    case ".?":
      return { cost: 1 + of(node.args[0]).cost };
    case "[]": {
      const [target, index] = [of(node.args[0]), of(node.args[1])];
      const step = target.type.kind === "list" ? "@items" : target.type.kind === "map" ? "@values" : undefined;
      return {
        cost: 1 + target.cost + index.cost,
        size: target.entry,
        path: step === undefined ? [] : [...target.path, step],
      };
    }
    case "[?]":
      return { cost: 1 + sum(node.args) };
    case "list": {
      const items = node.args.map(of);
      return called(
        {
          cost: 10,
          size: fixed(items.length),
          entry: items.length === 0 ? fixed(0) : items.map(sizeOf).reduce(union, nothing),
        },
        items,
      );
    }
    case "map":
      return { cost: 30 + sum(node.args.flat()), size: fixed(node.args.length) };
    case "struct":
      return { cost: 40 + sum(node.args[1].map(({ value }) => value)) };
    case "!_":
    case "-_":
      return { cost: 1 + of(node.args).cost };
    case "&&":
    case "||":
      return { cost: sum(node.args) };
    case "?:": {
      const [condition, yes, no] = node.args.map(of) as [Estimate, Estimate, Estimate];
      return {
        cost: condition.cost + Math.max(yes.cost, no.cost),
        size: union(sizeOf(yes), sizeOf(no)),
        entry: both(yes.entry, no.entry),
      };
    }
    case "call": {
      const [name, args] = node.args;
      if (name === "has" && args[0]?.op === ".") return { cost: of(args[0].args[0]).cost };
      const each = args.map(of);
      if (name === "dyn") return { cost: 1 + each[0]!.cost, size: each[0]!.size, entry: each[0]!.entry };
      return called(callCost(name, undefined, each, given), each);
    }
    case "rcall": {
      const [name, target, args] = node.args;
      const form = rangeMacro(name, args.length);
      if (form !== undefined) return macro({ name, target: of(target), args }, form.variables, scope, given);
      if (isBinding(name, args.length)) return binding({ name, target: of(target), args }, scope, given);
      // In `library.function`, the library's name isn't a value.
      if (target.op === "id" && libraries.has(target.args) && !scope.has(target.args)) {
        const each = args.map(of);
        return called(callCost(`${target.args}.${name}`, undefined, each, given), each);
      }
      const [on, each] = [of(target), args.map(of)];
      return called(callCost(name, on, each, given), [on, ...each]);
    }
    default: {
      const each = node.args.map(of);
      return called(callCost(node.op, undefined, each, given), each);
    }
  }
}

function called(own: Pick<Estimate, "cost" | "size" | "entry">, args: readonly Estimate[]): Parts {
  return { ...own, cost: own.cost + args.reduce((total, { cost }) => total + cost, 0) };
}

/** A macro call with its target's estimate. */
interface MacroCall {
  readonly name: string;
  readonly target: Estimate;
  readonly args: readonly CelNode[];
}

/** Estimates a macro that binds one variable: a loop over an empty list, in which the value is substituted. */
function binding({ name, target, args }: MacroCall, scope: Scope, given: Given): Parts {
  const [variable, body] = args;
  const bound = (value: Pick<Estimate, "path" | "entry" | "size">): Scope =>
    new Map([...scope, [variable!.op === "id" ? variable!.args : "", value]]);
  if (name !== "sortBy") {
    const { cost } = estimate(body!, bound({ path: [] }), given);
    // The target is evaluated twice: to test for a value, and to get it.
    return { cost: 1 + target.cost + 10 + 1 + target.cost + cost + (name === "optMap" ? 1 : 0) };
  }
  const keys = macro({ name: "map", target: { ...target, cost: 1 }, args }, 1, scope, given);
  const item = given.typeOf(body!);
  const sort = callCost("sort", { ...target, ...keys, path: [], type: { kind: "list", item } }, [], given);
  return { cost: 10 + target.cost + 1 + keys.cost + sort.cost, size: sort.size };
}

const fixed = (length: number): Size => ({ min: length, max: length });
const union = (a: Size, b: Size): Size => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
const both = (a: Size | undefined, b: Size | undefined): Size | undefined =>
  a === undefined || b === undefined ? (a ?? b) : union(a, b);

/** Estimates a macro over a range: a loop with an accumulator, at the cost of the body per iteration. */
function macro({ name, target: range, args }: MacroCall, variables: 1 | 2, scope: Scope, given: Given): Parts {
  const inner = new Map(scope);
  const isMap = range.type.kind === "map";
  args.slice(0, variables).forEach((variable, at) => {
    if (variable.op !== "id") return;
    const values = variables === 1 ? !isMap : at === 1;
    if (values) inner.set(variable.args, { path: [...range.path, isMap ? "@values" : "@items"], size: range.entry });
    else inner.set(variable.args, { path: isMap ? [...range.path, "@keys"] : [], size: isMap ? undefined : one });
  });
  const bodies = args.slice(variables).map((body) => estimate(body, inner, given));
  const last = bodies.at(-1)!;
  const filter = bodies.length > 1 ? bodies[0]!.cost : 0;
  const size = sizeOf(range);
  const loop = (turn: number, first: number, result: number): number => range.cost + first + result + size.max * turn;
  switch (name) {
    case "all":
      return { cost: loop(last.cost + 3, 0, 1), size: one };
    case "exists":
      return { cost: loop(last.cost + 4, 0, 1), size: one };
    case "exists_one":
    case "existsOne":
      return { cost: loop(last.cost + 2, 0, 2), size: one };
    case "filter":
      return { cost: loop(last.cost + 13, 10, 1), size, entry: range.entry };
    case "map":
    case "transformList":
      return { cost: loop(filter + last.cost + 12, 10, 1), size, entry: sizeOf(last) };
    // Maps are built by a function with three arguments.
    default:
      return { cost: loop(filter + last.cost + 3, 30, 1), size };
  }
}
