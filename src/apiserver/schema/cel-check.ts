import type { ASTNode } from "@marcbachmann/cel-js";
import { compileGoRegExp } from "../../internal/re2.js";
import { macroNames } from "./cel-macros.js";
import { fits, globalFunctions, methodNames, methodsOf } from "./cel-signatures.js";
import { parseDuration, parseTimestamp } from "./cel-time.js";
import { dynType, type CelStaticType } from "./cel-types.js";

/** An expression that cannot be compiled; the message is worded as cel-go words it. */
export class CelCompileError extends Error {
  /** Name of the class. */
  override readonly name = "CelCompileError";
}

/** Types of the variables that an expression may name. */
export type CelVariables = ReadonlyMap<string, CelStaticType>;

const bool: CelStaticType = { kind: "bool" };
const int: CelStaticType = { kind: "int" };
const text: CelStaticType = { kind: "string" };

const results: Readonly<Record<string, CelStaticType>> = {
  size: int, int, uint: { kind: "uint" }, double: { kind: "double" }, string: text, bool, bytes: { kind: "bytes" }, timestamp: { kind: "timestamp" }, duration: { kind: "duration" }, type: { kind: "type" },
  matches: bool, startsWith: bool, endsWith: bool, contains: bool, isSorted: bool, isQuantity: bool, isURL: bool, isIP: bool, isCIDR: bool, isSemver: bool, hasValue: bool,
  lowerAscii: text, upperAscii: text, trim: text, substring: text, join: text, format: text, find: text, charAt: text,
  quantity: { kind: "opaque" }, url: { kind: "opaque" }, ip: { kind: "opaque" }, cidr: { kind: "opaque" }, semver: { kind: "opaque" },
  findAll: { kind: "list", item: text }, split: { kind: "list", item: text },
};
const typeNames = new Set(["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"]);
const namespaces = new Set(["sets", "optional", "format", "ip", "strings", "lists", "google"]);
const numeric = new Set(["int", "uint", "double"]);
const scalars = new Set(["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"]);
const neverNull = new Set(["bool", "int", "uint", "double", "string", "bytes", "list", "map"]);

/**
 * The type of an expression's value, as far as it can be known. Throws a `CelCompileError` for names and fields that are not there, and for
 * operands that cannot go together.
 */
export function checkExpression(node: ASTNode, variables: CelVariables): CelStaticType {
  switch (node.op) {
    case "value": return literalType(node.args);
    case "id": return variableType(node, variables);
    case ".": return selectType(node, variables);
    case ".?":
    case "[?]":
      checkExpression(node.args[0], variables);
      return { kind: "optional" };
    case "[]": return elementType(node, checkExpression(node.args[0], variables), checkExpression(node.args[1], variables));
    case "call": return callType(node, node.args[0], undefined, node.args[1], variables);
    case "rcall": return callType(node, node.args[0], node.args[1], node.args[2], variables);
    case "list": {
      const items = node.args.map((item) => checkExpression(item, variables));
      expectSame(node.args, items);
      return { kind: "list", item: items[0] !== undefined && items.every((item) => item.kind === items[0]!.kind) ? items[0] : dynType };
    }
    case "map":
      for (const side of [0, 1] as const) {
        const nodes = node.args.map((entry) => entry[side]);
        expectSame(nodes, nodes.map((part) => checkExpression(part, variables)));
      }
      return { kind: "map", key: dynType, value: dynType };
    case "?:": {
      expectBool(checkExpression(node.args[0], variables), node, "_?_:_");
      const yes = checkExpression(node.args[1], variables);
      const no = checkExpression(node.args[2], variables);
      if (differ(yes, no)) throw noOverload(node, "_?_:_", [bool, yes, no]);
      return yes.kind === no.kind ? yes : dynType;
    }
    case "||":
    case "&&":
      for (const side of node.args) expectBool(checkExpression(side, variables), node, `_${node.op}_`);
      return bool;
    case "!_":
      expectBool(checkExpression(node.args, variables), node, "!_");
      return bool;
    case "-_": {
      const type = checkExpression(node.args, variables);
      if (scalars.has(type.kind) && type.kind !== "int" && type.kind !== "double") throw noOverload(node, "-_", [type]);
      return type;
    }
    default: return binaryType(node, checkExpression(node.args[0], variables), checkExpression(node.args[1], variables));
  }
}

function fail(node: ASTNode, message: string): CelCompileError {
  const input = node.input;
  const at = Math.min(node.pos, input.length);
  const line = input.slice(0, at).split("\n").length;
  const column = at - (input.lastIndexOf("\n", at - 1) + 1);
  return new CelCompileError(`ERROR: <input>:${line}:${column + 1}: ${message}\n | ${input.split("\n")[line - 1] ?? ""}\n | ${".".repeat(column)}^`);
}

function shownType(type: CelStaticType): string {
  if (type.kind === "list") return `list(${shownType(type.item)})`;
  return type.kind === "map" ? `map(${shownType(type.key)}, ${shownType(type.value)})` : type.kind;
}

function noOverload(node: ASTNode, name: string, types: readonly CelStaticType[], target?: CelStaticType): CelCompileError {
  return fail(node, `found no matching overload for '${name}' applied to '${target === undefined ? "" : `${shownType(target)}.`}(${types.map(shownType).join(", ")})'`);
}

/** Whether two values can never be of one type. */
function differ(left: CelStaticType, right: CelStaticType): boolean {
  if (left.kind === "list" && right.kind === "list") return differ(left.item, right.item);
  if (left.kind === "map" && right.kind === "map") return differ(left.key, right.key) || differ(left.value, right.value);
  if (left.kind === "null_type" || right.kind === "null_type") return neverNull.has(left.kind) || neverNull.has(right.kind);
  return scalars.has(left.kind) && scalars.has(right.kind) && left.kind !== right.kind;
}

function expectSame(nodes: readonly ASTNode[], types: readonly CelStaticType[]): void {
  const [first] = types;
  types.forEach((type, at) => {
    if (first !== undefined && differ(first, type)) throw fail(nodes[at]!, `expected type '${shownType(first)}' but found '${shownType(type)}'`);
  });
}

function literalType(value: unknown): CelStaticType {
  switch (typeof value) {
    case "boolean": return bool;
    case "bigint": return int;
    case "number": return { kind: "double" };
    case "string": return text;
    default: break;
  }
  if (value === null) return { kind: "null_type" };
  return { kind: value instanceof Uint8Array ? "bytes" : "uint" };
}

function variableType(node: ASTNode & { op: "id" }, variables: CelVariables): CelStaticType {
  const found = variables.get(node.args);
  if (found !== undefined) return found;
  if (typeNames.has(node.args)) return { kind: "type" };
  throw fail(node, `undeclared reference to '${node.args}' (in container '')`);
}

function selectType(node: ASTNode & { op: "." }, variables: CelVariables): CelStaticType {
  const [target, name] = node.args;
  if (target.op === "id" && variables.get(target.args) === undefined && namespaces.has(target.args)) return dynType;
  const type = checkExpression(target, variables);
  if (type.kind === "object") {
    const field = type.fields.get(name);
    if (field === undefined) throw fail(node, `undefined field '${name}'`);
    return field();
  }
  if (type.kind === "map") return type.value;
  if (type.kind === "dyn" || type.kind === "optional") return type;
  throw fail(node, `type '${type.kind}' does not support field selection`);
}

function elementType(node: ASTNode, target: CelStaticType, key: CelStaticType): CelStaticType {
  if (target.kind === "object" || scalars.has(target.kind)) throw noOverload(node, "_[_]", [target, key]);
  if (target.kind === "list") {
    if (scalars.has(key.kind) && !numeric.has(key.kind)) throw noOverload(node, "_[_]", [target, key]);
    return target.item;
  }
  if (target.kind !== "map") return dynType;
  if (differ(target.key, key)) throw noOverload(node, "_[_]", [target, key]);
  return target.value;
}

function expectBool(type: CelStaticType, node: ASTNode, operator: string): void {
  if (type.kind !== "bool" && type.kind !== "dyn") throw fail(node, `found no matching overload for '${operator}' applied to '(${type.kind})'`);
}

function binaryType(node: ASTNode, left: CelStaticType, right: CelStaticType): CelStaticType {
  const unlike = differ(left, right);
  switch (node.op) {
    case "==":
    case "!=":
      if (unlike) throw noOverload(node, `_${node.op}_`, [left, right]);
      return bool;
    case "<":
    case "<=":
    case ">":
    case ">=":
      if (unlike && !(numeric.has(left.kind) && numeric.has(right.kind))) throw noOverload(node, `_${node.op}_`, [left, right]);
      return bool;
    case "in":
      if ((right.kind === "list" && differ(left, right.item)) || (right.kind === "map" && differ(left, right.key))) throw noOverload(node, "@in", [left, right]);
      return bool;
    default: break;
  }
  const times = [left.kind, right.kind].every((kind) => kind === "timestamp" || kind === "duration");
  if (unlike && !times) throw noOverload(node, `_${node.op}_`, [left, right]);
  if (times) return node.op === "-" && left.kind === "timestamp" && right.kind === "timestamp" ? { kind: "duration" } : left.kind === "timestamp" ? left : right;
  return scalars.has(left.kind) || left.kind === "list" ? left : right;
}

/** Literal arguments must be well-formed. */
function checkLiteral(name: string, target: ASTNode | undefined, args: readonly ASTNode[]): void {
  const literal = (node: ASTNode | undefined): string | undefined => (node?.op === "value" && typeof node.args === "string" ? node.args : undefined);
  const node = name === "matches" ? args[target === undefined ? 1 : 0] : target === undefined && (name === "duration" || name === "timestamp") ? args[0] : undefined;
  const value = literal(node);
  if (node === undefined || value === undefined) return;
  try {
    if (name === "matches") compileGoRegExp(value);
    else if (name === "duration") parseDuration(value);
    else parseTimestamp(value);
  } catch {
    throw fail(node, `invalid ${name} argument`);
  }
}

/** The function must exist, and go with what it is called on and with. */
function checkCall(node: ASTNode, name: string, target: CelStaticType | undefined, args: readonly CelStaticType[]): void {
  if (target === undefined) {
    if (!globalFunctions.has(name)) throw fail(node, `undeclared reference to '${name}' (in container '')`);
    if (name === "size" && args[0] !== undefined && scalars.has(args[0].kind) && args[0].kind !== "string" && args[0].kind !== "bytes") throw noOverload(node, name, args);
    return;
  }
  if (!methodNames.has(name)) throw fail(node, `undeclared reference to '${name}' (in container '')`);
  const methods = methodsOf[target.kind];
  if (methods === undefined) return;
  const signature = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (signature === undefined || !fits(signature, args.map((arg) => (scalars.has(arg.kind) || arg.kind === "list" ? arg.kind : "dyn")))) throw noOverload(node, name, args, target);
}

function callType(node: ASTNode, name: string, target: ASTNode | undefined, args: readonly ASTNode[], variables: CelVariables): CelStaticType {
  if (target === undefined && name === "has") {
    const [arg] = args;
    if (arg?.op !== "." && arg?.op !== ".?") throw fail(node, "invalid argument to has() macro");
    checkExpression(arg, variables);
    return bool;
  }
  const namespace = target?.op === "id" && variables.get(target.args) === undefined && namespaces.has(target.args);
  const type = target === undefined || namespace ? dynType : checkExpression(target, variables);
  if (target !== undefined && macroNames.has(name) && args.length >= 2) return macroType(name, type, args, variables);
  if (type.kind === "list" && name === "sortBy" && args.length === 2) {
    if (args[0]!.op !== "id") throw fail(node, "argument must be a simple name");
    checkExpression(args[1]!, new Map(variables).set(args[0].args, type.item));
    return type;
  }
  // What is formatted may be of all types.
  const mixed = name === "format" && args[0]?.op === "list" ? args[0].args : undefined;
  const types: CelStaticType[] = mixed === undefined ? args.map((arg) => checkExpression(arg, variables)) : [{ kind: "list", item: dynType }];
  for (const item of mixed ?? []) checkExpression(item, variables);
  if (!namespace) checkCall(node, name, target === undefined ? undefined : type, types);
  checkLiteral(name, target, args);
  if (name === "dyn") return dynType;
  if (name === "orValue" || name === "value") return dynType;
  if (type.kind === "list" && ["min", "max", "sum"].includes(name)) return type.item;
  if (type.kind === "list" && ["reverse", "sort", "distinct", "slice"].includes(name)) return type;
  if (name === "indexOf" || name === "lastIndexOf") return int;
  return !namespace && Object.hasOwn(results, name) ? results[name]! : dynType;
}

function macroType(name: string, range: CelStaticType, args: readonly ASTNode[], variables: CelVariables): CelStaticType {
  const bound = new Map(variables);
  const declare = (node: ASTNode | undefined, type: CelStaticType): void => {
    if (node?.op !== "id") throw new CelCompileError("ERROR: <input>:1:1: argument must be a simple name");
    bound.set(node.args, type);
  };
  const check = (node: ASTNode | undefined): CelStaticType => (node === undefined ? dynType : checkExpression(node, bound));
  if (name === "optMap" || name === "optFlatMap") {
    declare(args[0], dynType);
    check(args[1]);
    return { kind: "optional" };
  }
  const two = name.startsWith("transform") || (args.length === 3 && name !== "map");
  const item = range.kind === "list" ? range.item : range.kind === "map" ? (two ? range.value : range.key) : dynType;
  if (two) declare(args[0], range.kind === "list" ? int : dynType);
  declare(args[two ? 1 : 0], item);
  const rest = args.slice(two ? 2 : 1).map(check);
  if (["all", "exists", "exists_one", "existsOne"].includes(name)) return bool;
  if (name === "filter") return range.kind === "map" ? { kind: "list", item: range.key } : range;
  return name === "map" || name === "transformList" ? { kind: "list", item: rest.at(-1) ?? dynType } : { kind: "map", key: dynType, value: dynType };
}
