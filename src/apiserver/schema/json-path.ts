import { getOwn, isJsonObject } from "../internal/json-value.js";

/** Finds values in JSON data by a path. */
export type JsonPath = (value: unknown) => unknown[];

type Step = (values: unknown[]) => unknown[];

/** Values that a step may find. `..*..*` finds some of them many times, so their number grows with each step. */
const maxValues = 100_000;

/** The path finds too many values. */
class TooManyValues extends Error {}

/**
 * Parses a path as used by printer columns: `.a.b`, `['a.b']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `..a` and filters such as
 * `[?(@.type=="Ready")]`. A path that finds more than 100,000 values on its way finds nothing. Throws a `SyntaxError`.
 */
export function parseJsonPath(text: string): JsonPath {
  const steps: Step[] = [];
  let rest = text.startsWith("$") ? text.slice(1) : text;
  while (rest !== "") {
    const found = nextStep(rest, text);
    steps.push(found.step);
    rest = found.rest;
  }
  return (value) => {
    try {
      return steps.reduce((values, step) => bounded(step(values)), [value]);
    } catch (error) {
      if (error instanceof TooManyValues) return [];
      throw error;
    }
  };
}

function bounded(values: unknown[]): unknown[] {
  if (values.length > maxValues) throw new TooManyValues();
  return values;
}

function nextStep(rest: string, whole: string): { step: Step; rest: string } {
  const name = /^(\.\.?)((?:[^.[\]\\]|\\.)+)/.exec(rest);
  if (name !== null) {
    const key = name[2]!.replace(/\\(.)/g, "$1");
    const member: Step = key === "*" ? children : (values) => values.flatMap((value) => memberOf(value, key));
    return {
      step: name[1] === ".." ? (values) => member(descendants(values)) : member,
      rest: rest.slice(name[0].length),
    };
  }
  if (rest.startsWith("[")) {
    const end = closing(rest, whole);
    return { step: bracket(rest.slice(1, end), whole), rest: rest.slice(end + 1) };
  }
  if (rest === ".") return { step: (values) => values, rest: "" };
  throw new SyntaxError(`unexpected ${JSON.stringify(rest)} in the path ${JSON.stringify(whole)}`);
}

function closing(rest: string, whole: string): number {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < rest.length; at += 1) {
    const character = rest[at]!;
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "[") depth += 1;
    else if (character === "]") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw new SyntaxError(`unterminated array in the path ${JSON.stringify(whole)}`);
}

function bracket(inner: string, whole: string): Step {
  const text = inner.trim();
  if (text === "*") return children;
  const quoted = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/.exec(text);
  if (quoted !== null) {
    const key = (quoted[1] ?? quoted[2] ?? "").replace(/\\(.)/g, "$1");
    return (values) => values.flatMap((value) => memberOf(value, key));
  }
  if (/^-?\d+$/.test(text))
    return (values) =>
      values.flatMap((value) =>
        Array.isArray(value)
          ? (value as unknown[]).slice(Number(text), Number(text) === -1 ? undefined : Number(text) + 1)
          : [],
      );
  const slice = /^(-?\d*):(-?\d*)$/.exec(text);
  if (slice !== null) {
    const [from, to] = [slice[1], slice[2]].map((part) =>
      part === "" || part === undefined ? undefined : Number(part),
    );
    return (values) => values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]).slice(from, to) : []));
  }
  const filter = /^\?\((.*)\)$/s.exec(text);
  if (filter !== null) return filterStep(filter[1]!.trim(), whole);
  if (text.includes(",")) {
    const parts = text.split(",").map((part) => bracket(part, whole));
    return (values) => parts.flatMap((part) => part(values));
  }
  throw new SyntaxError(`invalid array index ${text} in the path ${JSON.stringify(whole)}`);
}

function filterStep(text: string, whole: string): Step {
  if (!text.startsWith("@")) throw new SyntaxError(`unrecognized filter in the path ${JSON.stringify(whole)}`);
  const found = /==|!=|<=|>=|<|>/.exec(text);
  const left = parseJsonPath(text.slice(1, found?.index).trim());
  if (found === null) return (values) => values.flatMap(elements).filter((item) => left(item).length > 0);
  const operator = found[0];
  const right = operand(text.slice(found.index + operator.length).trim(), whole);
  return (values) =>
    values.flatMap(elements).filter((item) => {
      const value = single(left(item));
      if (value === undefined) return false;
      const other = single(right(item));
      return other !== undefined && compare(value[0], operator, other[0]);
    });
}

/** Returns the only value in an array, or `undefined` without one. As in kubectl, a comparison has one value on each side. */
function single(values: unknown[]): [unknown] | undefined {
  if (values.length > 1) throw new TooManyValues();
  return values.length === 0 ? undefined : [values[0]];
}

function operand(text: string, whole: string): JsonPath {
  if (text.startsWith("@")) return parseJsonPath(text.slice(1));
  const quoted = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/.exec(text);
  if (quoted !== null) return () => [(quoted[1] ?? quoted[2] ?? "").replace(/\\(.)/g, "$1")];
  if (text === "true" || text === "false") return () => [text === "true"];
  if (!/^-?\d+(\.\d+)?$/.test(text))
    throw new SyntaxError(`unrecognized operand ${text} in the path ${JSON.stringify(whole)}`);
  return () => [Number(text)];
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (typeof left !== typeof right || (typeof left !== "number" && typeof left !== "string")) return false;
  const [a, b] = [left, right as typeof left];
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    default:
      return a >= b;
  }
}

function memberOf(value: unknown, key: string): unknown[] {
  if (!isJsonObject(value)) return [];
  const member = getOwn(value, key);
  return member === undefined ? [] : [member];
}

function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function children(values: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    if (!Array.isArray(value) && !isJsonObject(value)) continue;
    for (const child of Object.values(value)) found.push(child);
    bounded(found);
  }
  return found;
}

/** Returns values, each followed by everything below it. */
function descendants(values: unknown[]): unknown[] {
  const found: unknown[] = [];
  const open = [...values].reverse();
  while (open.length > 0) {
    const value = open.pop();
    found.push(value);
    const below = children([value]);
    for (let index = below.length - 1; index >= 0; index--) open.push(below[index]);
    if (found.length + open.length > maxValues) throw new TooManyValues();
  }
  return found;
}
