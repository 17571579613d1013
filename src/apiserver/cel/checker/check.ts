import { compileError } from "../parser/issues.js";
import { isBinding, rangeMacro } from "../parser/macro-forms.js";
import type { CelMethodNode, CelNode } from "../parser/syntax.js";
import { type CelOverload, overloadsOf, typeNames } from "./declarations.js";
import { checkLiterals } from "./literal-checks.js";
import { checkBinding, checkRange, type TypeFinder } from "./macro-types.js";
import { type CelStaticType, dynType, objectType, partsOf, shownType, withParts } from "./types.js";
import { type Bindings, mostGeneral, sameType, substitute, unify } from "./unify.js";

export { CelCompileError } from "../parser/issues.js";

/** Types of the declared variables. */
export type CelVariables = ReadonlyMap<string, CelStaticType>;

/** Options of the type check. */
export interface CelCheckOptions {
  /** True if `Object{…}` and `JSONPatch{…}` are available. */
  readonly patches?: boolean;
}

const bool: CelStaticType = { kind: "bool" };
const text: CelStaticType = { kind: "string" };
const patchFields = objectType("JSONPatch", { op: text, from: text, path: text, value: dynType });

/** Determines the types of an expression and its parts. Throws a `CelCompileError`. */
export function checkExpression(
  node: CelNode,
  variables: CelVariables,
  { patches = false }: CelCheckOptions = {},
): (part: CelNode) => CelStaticType {
  const checker = new CelChecker(variables, patches, node.input);
  checker.check(node);
  const typeOf = (part: CelNode): CelStaticType => checker.typeOf(part);
  checkLiterals(node, typeOf);
  return typeOf;
}

class CelChecker implements TypeFinder {
  readonly #input: string;
  readonly #patches: boolean;
  readonly #types = new Map<CelNode, CelStaticType>();
  #scope: CelVariables;
  #bindings: Bindings = new Map();
  #params = 0;

  constructor(variables: CelVariables, patches: boolean, input: string) {
    this.#input = input;
    this.#scope = variables;
    this.#patches = patches;
  }

  /** Returns the type of a node; unresolved types are `dyn`. */
  typeOf(node: CelNode): CelStaticType {
    return substitute(this.#bindings, this.#types.get(node) ?? dynType, true);
  }

  /** Throws an error at an offset. */
  report(pos: number, message: string): never {
    throw compileError(this.#input, pos, message);
  }

  /** Determines the type of a node. */
  check(node: CelNode): CelStaticType {
    const type = this.#check(node);
    this.#types.set(node, type);
    return type;
  }

  /** Determines the type of a node with additional variables in scope. */
  checkWith(node: CelNode, variables: readonly (readonly [name: string, type: CelStaticType])[]): CelStaticType {
    const before = this.#scope;
    this.#scope = new Map([...before, ...variables]);
    const type = this.check(node);
    this.#scope = before;
    return type;
  }

  /** Creates a new type variable. */
  open(): CelStaticType {
    this.#params += 1;
    return { kind: "param", name: `_var${String(this.#params - 1)}` };
  }

  /** Returns a type with all resolved type variables substituted. */
  settled(type: CelStaticType): CelStaticType {
    return substitute(this.#bindings, type, false);
  }

  /** True if a value of the given type is assignable to the wanted one. */
  assignable(wanted: CelStaticType, given: CelStaticType): boolean {
    const next = unify(this.#bindings, [wanted], [given]);
    if (next !== undefined) this.#bindings = next;
    return next !== undefined;
  }

  /** Returns the result type of a call. Throws if no overload accepts these argument types. */
  resolve(pos: number, name: string, member: boolean, types: readonly CelStaticType[]): CelStaticType {
    let result: CelStaticType | undefined;
    for (const overload of overloadsOf(name, this.#patches) ?? []) {
      if (overload.member !== member) continue;
      const { args, result: made } = this.#fresh(overload);
      const next = unify(this.#bindings, types, args);
      if (next === undefined) continue;
      this.#bindings = next;
      const found = this.settled(made);
      if (result === undefined) result = found;
      else if (result.kind !== "dyn" && !sameType(found, result)) result = dynType;
    }
    if (result !== undefined) return result;
    const shown = types.map((type) => shownType(substitute(this.#bindings, type, true)));
    return this.report(
      pos,
      `found no matching overload for '${name}' applied to '${member ? `${shown[0]!}.` : ""}(${shown.slice(member ? 1 : 0).join(", ")})'`,
    );
  }

  #fresh({ args, result }: CelOverload): { args: CelStaticType[]; result: CelStaticType } {
    const names = new Map<string, CelStaticType>();
    const rename = (type: CelStaticType): CelStaticType => {
      if (type.kind !== "param") return partsOf(type).length === 0 ? type : withParts(type, partsOf(type).map(rename));
      if (!names.has(type.name)) names.set(type.name, this.open());
      return names.get(type.name)!;
    };
    return { args: args.map(rename), result: rename(result) };
  }

  #check(node: CelNode): CelStaticType {
    switch (node.op) {
      case "value":
        return literalType(node.args);
      case "id":
        return (
          this.#named(node.args) ?? this.report(node.pos, `undeclared reference to '${node.args}' (in container '')`)
        );
      case ".": {
        const qualified = qualifiedName(node);
        return (
          (qualified === undefined ? undefined : this.#named(qualified)) ??
          this.settled(this.#field(node.pos, node.args[0], node.args[1], false))
        );
      }
      case ".?":
        return this.settled(this.#field(node.pos, node.args[0], node.args[1], true));
      case "[]":
        return this.#operator(node.pos, "_[_]", node.args);
      case "[?]":
        return this.#operator(node.pos, "_[?_]", node.args);
      case "call":
        return this.#call(node, node.args[0].replace(/^\./, ""), node.args[1]);
      case "rcall":
        return this.#method(node);
      case "list":
        return this.#list(node.args, node.optional);
      case "map":
        return this.#map(node.args, node.optional);
      case "struct":
        return this.#struct(node);
      case "?:":
        return this.#operator(node.pos, "_?_:_", node.args);
      case "||":
      case "&&":
        for (const side of node.args) this.expectBool(side, this.check(side));
        return bool;
      case "!_":
      case "-_":
        return this.#operator(node.pos, node.op, [node.args]);
      default:
        return this.#operator(node.pos, node.op === "in" ? "@in" : `_${node.op}_`, node.args);
    }
  }

  /** Throws for an expression that isn't a bool. */
  expectBool(node: CelNode, type: CelStaticType): void {
    if (!this.assignable(type, bool)) this.report(node.pos, `expected type 'bool' but found '${shownType(type)}'`);
  }

  #operator(pos: number, name: string, operands: readonly CelNode[]): CelStaticType {
    return this.resolve(
      pos,
      name,
      false,
      operands.map((operand) => this.check(operand)),
    );
  }

  /** Returns the type of a variable or type name. */
  #named(name: string): CelStaticType | undefined {
    const bare = name.replace(/^\./, "");
    const found = this.#scope.get(bare);
    if (found !== undefined) return found;
    const type = this.#message(bare) ?? typeNames.get(bare);
    return type === undefined ? undefined : { kind: "type", of: type };
  }

  /** Returns the message type of this name. */
  #message(name: string): CelStaticType | undefined {
    if (!this.#patches) return undefined;
    if (name === "JSONPatch") return patchFields;
    return name === "Object" || name.startsWith("Object.") ? { kind: "object", name, field: () => dynType } : undefined;
  }

  #field(pos: number, operand: CelNode, name: string, optional: boolean): CelStaticType {
    const type = this.settled(this.check(operand));
    const target = type.kind === "optional" ? type.item : type;
    let result: CelStaticType = dynType;
    if (target.kind === "map") result = target.value;
    else if (target.kind === "object") result = this.#member(pos, target, name);
    else if (target.kind === "param") this.assignable(dynType, target);
    else if (target.kind !== "dyn") this.report(pos, `type '${shownType(target)}' does not support field selection`);
    return type.kind === "optional" || optional ? { kind: "optional", item: result } : result;
  }

  #member(pos: number, type: CelStaticType & { kind: "object" }, name: string): CelStaticType {
    if (type.field === undefined) return this.report(pos, `unexpected failed resolution of '${type.name}'`);
    return type.field(name) ?? this.report(pos, `undefined field '${name}'`);
  }

  #call(node: CelNode, name: string, args: readonly CelNode[]): CelStaticType {
    const [first] = args;
    if (name === "has" && args.length === 1 && first!.op === ".") {
      this.#types.set(first!, this.#field(node.pos, first!.args[0], first!.args[1], false));
      return bool;
    }
    const types = args.map((arg) => this.check(arg));
    if (overloadsOf(name, this.#patches) === undefined)
      return this.report(node.pos, `undeclared reference to '${name}' (in container '')`);
    return this.resolve(node.pos, name, false, types);
  }

  #method(node: CelMethodNode): CelStaticType {
    const [name, target, args] = node.args;
    const form = rangeMacro(name, args.length);
    if (form !== undefined) return checkRange(this, node, form);
    if (isBinding(name, args.length)) return checkBinding(this, node);
    const types = args.map((arg) => this.check(arg));
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : `${prefix.replace(/^\./, "")}.${name}`;
    if (qualified !== undefined && overloadsOf(qualified, this.#patches) !== undefined)
      return this.resolve(node.pos, qualified, false, types);
    const type = this.check(target);
    if (overloadsOf(name, this.#patches) === undefined)
      return this.report(node.pos, `undeclared reference to '${name}' (in container '')`);
    return this.resolve(node.pos, name, true, [type, ...types]);
  }

  /** Returns the type of an entry; for an optional entry, the type inside the optional. */
  #unwrapped(node: CelNode, type: CelStaticType, optional: boolean): CelStaticType {
    if (!optional) return type;
    if (type.kind === "optional") return type.item;
    if (type.kind !== "dyn")
      this.report(node.pos, `expected type 'optional_type(${shownType(type)})' but found '${shownType(type)}'`);
    return type;
  }

  #joined(previous: CelStaticType | undefined, current: CelStaticType): CelStaticType {
    if (previous === undefined) return current;
    return this.assignable(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #list(items: readonly CelNode[], optional: ReadonlySet<number>): CelStaticType {
    let item: CelStaticType | undefined;
    items.forEach((node, at) => {
      item = this.#joined(item, this.#unwrapped(node, this.check(node), optional.has(at)));
    });
    return { kind: "list", item: item ?? this.open() };
  }

  #map(entries: readonly (readonly [CelNode, CelNode])[], optional: ReadonlySet<number>): CelStaticType {
    let key: CelStaticType | undefined;
    let value: CelStaticType | undefined;
    entries.forEach(([left, right], at) => {
      key = this.#joined(key, this.check(left));
      value = this.#joined(value, this.#unwrapped(right, this.check(right), optional.has(at)));
    });
    return { kind: "map", key: key ?? this.open(), value: value ?? this.open() };
  }

  #struct(node: CelNode & { op: "struct" }): CelStaticType {
    const [name, fields] = node.args;
    const named = this.#named(name);
    if (named === undefined) return this.report(node.pos, `undeclared reference to '${name}' (in container '')`);
    const type = named.kind === "type" ? named.of : undefined;
    if (type?.kind !== "object" && type?.kind !== "timestamp" && type?.kind !== "duration")
      return this.report(node.pos, `'${name}' is not a message type`);
    for (const field of fields) {
      const given = this.check(field.value);
      if (type.kind !== "object") return this.report(field.pos, `undefined field '${field.name}'`);
      const wanted = this.#member(field.pos, type, field.name);
      const value = this.#unwrapped(field.value, given, field.optional);
      if (!this.assignable(wanted, value))
        this.report(field.pos, `expected a value of type '${shownType(wanted)}' but found '${shownType(value)}'`);
    }
    return type;
  }
}

function literalType(value: unknown): CelStaticType {
  switch (typeof value) {
    case "boolean":
      return bool;
    case "bigint":
      return { kind: "int" };
    case "number":
      return { kind: "double" };
    case "string":
      return text;
    default:
      break;
  }
  if (value === null) return { kind: "null_type" };
  return { kind: value instanceof Uint8Array ? "bytes" : "uint" };
}

/** Returns a chain of names as one name, such as `a.b`; `undefined` for other nodes. */
export function qualifiedName(node: CelNode): string | undefined {
  if (node.op === "id") return node.args;
  if (node.op !== ".") return undefined;
  const left = qualifiedName(node.args[0]);
  return left === undefined ? undefined : `${left}.${node.args[1]}`;
}
