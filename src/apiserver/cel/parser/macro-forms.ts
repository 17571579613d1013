import type { CelNode } from "./syntax.js";

/** A macro with one or two iteration variables over a range. */
export interface MacroForm {
  /** Number of variables, which are the first arguments. */
  readonly variables: 1 | 2;
  /** Number of expressions after the variables. */
  readonly bodies: number;
}

const forms: Readonly<Record<string, Readonly<Record<number, MacroForm>>>> = {
  all: { 2: { variables: 1, bodies: 1 }, 3: { variables: 2, bodies: 1 } },
  exists: { 2: { variables: 1, bodies: 1 }, 3: { variables: 2, bodies: 1 } },
  exists_one: { 2: { variables: 1, bodies: 1 }, 3: { variables: 2, bodies: 1 } },
  existsOne: { 2: { variables: 1, bodies: 1 }, 3: { variables: 2, bodies: 1 } },
  map: { 2: { variables: 1, bodies: 1 }, 3: { variables: 1, bodies: 2 } },
  filter: { 2: { variables: 1, bodies: 1 } },
  transformList: { 3: { variables: 2, bodies: 1 }, 4: { variables: 2, bodies: 2 } },
  transformMap: { 3: { variables: 2, bodies: 1 }, 4: { variables: 2, bodies: 2 } },
  transformMapEntry: { 3: { variables: 2, bodies: 1 }, 4: { variables: 2, bodies: 2 } },
};
const bindings = new Set(["optMap", "optFlatMap", "sortBy"]);

/** Returns the form of a macro over a range, or `undefined` for any other call. */
export function rangeMacro(name: string, count: number): MacroForm | undefined {
  return Object.hasOwn(forms, name) ? forms[name]![count] : undefined;
}

/** True for macros that bind one variable to a value: `optMap`, `optFlatMap`, `sortBy`. */
export function isBinding(name: string, count: number): boolean {
  return count === 2 && bindings.has(name);
}

/** Returns the error in a macro's arguments, or `undefined` for valid and for other calls. */
export function macroProblem(name: string, args: readonly CelNode[], target?: CelNode): string | undefined {
  if (target === undefined)
    return name === "has" && args.length === 1 && args[0]!.op !== "." ? "invalid argument to has() macro" : undefined;
  if (name === "sortBy" && args.length === 2 && ["value", "map", "struct"].includes(target.op))
    return "sortBy can only be applied to a list";
  const variables = isBinding(name, args.length) ? 1 : (rangeMacro(name, args.length)?.variables ?? 0);
  const names = args.slice(0, variables).map((each) => (each.op === "id" ? each.args : undefined));
  if (names.includes(undefined)) return `the variable of ${name}() must be a simple name`;
  if (new Set(names).size < names.length) return `duplicate variable name: ${names[0]!}`;
  return rangeMacro(name, args.length) !== undefined && names.includes("__result__")
    ? "iteration variable overwrites accumulator variable"
    : undefined;
}
