import type { MacroForm } from "../parser/macro-forms.js";
import type { CelMethodNode, CelNode } from "../parser/syntax.js";
import { type CelStaticType, dynType, shownType } from "./types.js";

const bool: CelStaticType = { kind: "bool" };
const int: CelStaticType = { kind: "int" };

/** The part of the type checker that macros use. */
export interface TypeFinder {
  /** Throws an error at an offset. */
  report(pos: number, message: string): never;
  /** Determines the type of a node. */
  check(node: CelNode): CelStaticType;
  /** Determines the type of a node with additional variables in scope. */
  checkWith(node: CelNode, variables: Bound): CelStaticType;
  /** Creates a new type variable. */
  open(): CelStaticType;
  /** Returns a type with all resolved type variables substituted. */
  settled(type: CelStaticType): CelStaticType;
  /** True if a value of the given type is assignable to the wanted one. */
  assignable(wanted: CelStaticType, given: CelStaticType): boolean;
  /** Returns the result type of a call. Throws if no overload accepts these argument types. */
  resolve(pos: number, name: string, member: boolean, types: readonly CelStaticType[]): CelStaticType;
  /** Throws for an expression that isn't a bool. */
  expectBool(node: CelNode, type: CelStaticType): void;
}

type Bound = readonly (readonly [name: string, type: CelStaticType])[];

function nameOf(node: CelNode | undefined): string {
  return node?.op === "id" ? node.args : "";
}

/** Returns the type of a macro over a list or map, such as `all` or `map`. */
export function checkRange(checker: TypeFinder, node: CelMethodNode, form: MacroForm): CelStaticType {
  const { pos } = node;
  const [name, target, args] = node.args;
  const range = checker.settled(checker.check(target));
  const variables = variablesOf(checker, node, form, range);
  const bodies = args.slice(form.variables);
  const last = bodies.at(-1)!;
  const filter = bodies.length === 2 ? bodies[0] : undefined;
  switch (name) {
    case "all":
    case "exists":
      checker.expectBool(last, checker.checkWith(last, variables));
      return bool;
    case "exists_one":
    case "existsOne":
      checker.resolve(pos, "_?_:_", false, [checker.checkWith(last, variables), int, int]);
      return bool;
    case "filter": {
      const made: CelStaticType = { kind: "list", item: variables[0]![1] };
      checker.resolve(pos, "_?_:_", false, [checker.checkWith(last, variables), made, made]);
      return made;
    }
    default:
      break;
  }
  const condition = filter === undefined ? undefined : checker.checkWith(filter, variables);
  const step = checker.checkWith(last, variables);
  const made = collected(checker, node, variables, step);
  if (condition !== undefined) checker.resolve(pos, "_?_:_", false, [condition, made, made]);
  return made;
}

/** Returns the result type of a macro from that of its last expression. */
function collected(
  checker: TypeFinder,
  { pos, args: [name] }: CelMethodNode,
  variables: Bound,
  step: CelStaticType,
): CelStaticType {
  if (name === "transformMap")
    return checker.resolve(pos, "cel.@mapInsert", false, [
      { kind: "map", key: checker.open(), value: checker.open() },
      variables[0]![1],
      step,
    ]);
  if (name === "transformMapEntry")
    return checker.resolve(pos, "cel.@mapInsert", false, [
      { kind: "map", key: checker.open(), value: checker.open() },
      step,
    ]);
  return { kind: "list", item: step };
}

function variablesOf(
  checker: TypeFinder,
  { args: [, target, args] }: CelMethodNode,
  form: MacroForm,
  range: CelStaticType,
): Bound {
  const two = form.variables === 2;
  const named = (first: CelStaticType, second: CelStaticType): Bound =>
    two
      ? [
          [nameOf(args[0]), first],
          [nameOf(args[1]), second],
        ]
      : [[nameOf(args[0]), first]];
  if (range.kind === "list") return two ? named(int, range.item) : named(range.item, dynType);
  if (range.kind === "map") return named(range.key, range.value);
  if (range.kind === "dyn" || range.kind === "param") {
    checker.assignable(dynType, range);
    return named(dynType, dynType);
  }
  return checker.report(target.pos, `an expression of type '${shownType(range)}' cannot be iterated over`);
}

/** Returns the type of `optMap`, `optFlatMap` and `sortBy`. */
export function checkBinding(checker: TypeFinder, node: CelMethodNode): CelStaticType {
  const { pos } = node;
  const [name, target, args] = node.args;
  const type = checker.check(target);
  const variable = nameOf(args[0]);
  if (name === "sortBy") {
    const range = checker.settled(type);
    const keys = checkRange(checker, { ...node, args: ["map", target, args] }, { variables: 1, bodies: 1 });
    return checker.resolve(pos, "@sortByAssociatedKeys", true, [range, keys]);
  }
  checker.resolve(pos, "hasValue", true, [type]);
  const inner = checker.resolve(pos, "value", true, [type]);
  const made = checker.checkWith(args[1]!, [[variable, inner]]);
  const some = name === "optMap" ? checker.resolve(pos, "optional.of", false, [made]) : made;
  return checker.resolve(pos, "_?_:_", false, [bool, some, checker.resolve(pos, "optional.none", false, [])]);
}
