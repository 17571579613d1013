import type { CelIssue } from "./issues.js";
import type { CelNode } from "./syntax.js";

/** A macro with one or two variables over a range. */
export interface MacroForm {
  /** How many variables come first. */
  readonly variables: 1 | 2;
  /** How many expressions follow. */
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

/** The form of a macro over a range; undefined for a call that is none. */
export function rangeMacro(name: string, count: number): MacroForm | undefined {
  return Object.hasOwn(forms, name) ? forms[name]![count] : undefined;
}

/** Whether a call of a method binds one variable to a value: `optMap`, `optFlatMap`, `sortBy`. */
export function isBinding(name: string, count: number): boolean {
  return count === 2 && bindings.has(name);
}

/** What is wrong with the arguments of a macro; undefined for all other calls. */
export function macroProblem(name: string, args: readonly CelNode[], target?: CelNode): CelIssue | undefined {
  if (target === undefined) {
    const [arg] = args;
    return name === "has" && args.length === 1 && arg!.op !== "."
      ? { pos: arg!.pos, message: "invalid argument to has() macro" }
      : undefined;
  }
  const form = rangeMacro(name, args.length);
  if (name === "sortBy" && args.length === 2 && ["value", "map", "struct"].includes(target.op))
    return {
      pos: target.pos,
      message: "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    };
  if (isBinding(name, args.length) && args[0]!.op !== "id")
    return {
      pos: args[0]!.pos,
      message:
        name === "sortBy" ? "argument is not an identifier" : `${name}() variable name must be a simple identifier`,
    };
  if (form === undefined) return undefined;
  const [first, second] = args;
  const simple =
    form.variables === 1
      ? name === "map" || name === "filter"
        ? "argument is not an identifier"
        : "argument must be a simple name"
      : "argument must be a simple name";
  if (first!.op !== "id") return { pos: first!.pos, message: simple };
  if (form.variables === 2) {
    if (second!.op !== "id") return { pos: second!.pos, message: simple };
    if (first!.args === second!.args) return { pos: second!.pos, message: `duplicate variable name: ${first!.args}` };
  }
  const taken = args.slice(0, form.variables).find((each) => each.op === "id" && each.args === "__result__");
  return taken === undefined
    ? undefined
    : { pos: taken.pos, message: "iteration variable overwrites accumulator variable" };
}
