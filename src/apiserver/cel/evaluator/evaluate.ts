import { concatBytes } from "../../../internal/bytes.js";
import { qualifiedName } from "../checker/check.js";
import { overloadsOf } from "../checker/declarations.js";
import type { CelFieldNode, CelMethodNode, CelNode } from "../parser/syntax.js";
import { celCompare, celEquals } from "../values/equality.js";
import {
  CelDuration,
  CelError,
  CelMessage,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isCelList,
  isCelMap,
  LiteralMap,
} from "../values/values.js";
import { callFunction, callMethod } from "./functions.js";
import { evaluateMacro } from "./macros.js";
import {
  addLists,
  boolean,
  type CelScope,
  doubles,
  type Evaluator,
  fieldOf,
  index,
  int64,
  integers,
  namedType,
  negate,
  optionalField,
  optionalIndex,
  sizeOf,
  subtractTimes,
  uintOf,
  variable,
} from "./operations.js";

/** Costs of nodes that don't cost 1, as in cel-go: constants, branches and variables chosen by a condition are free. */
const nodeCosts: Readonly<Record<string, number>> = {
  value: 0,
  "?:": 0,
  "||": 0,
  "&&": 0,
  list: 10,
  map: 30,
  struct: 40,
};

/** Returns the additional cost of a string of this length; empty strings cost less. */
const beyondOne = (length: number): number => Math.ceil(length / 10) - 1;
const lengthOf = (value: CelValue): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 1;

const constants = new WeakMap<CelNode, boolean>();

/** True for constants and for lists and maps of constants, which are created once before the evaluation. */
function isConstant(node: CelNode): boolean {
  if (node.op !== "list" && node.op !== "map") return node.op === "value";
  let constant = constants.get(node);
  if (constant === undefined)
    constants.set(node, (constant = node.optional.size === 0 && node.args.flat().every(isConstant)));
  return constant;
}

/** One evaluation of an expression, with a cost limit. */
export class CelRun implements Evaluator {
  readonly #limit: number;
  #spent = 0;
  #worked = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Cost so far. Work that cel-go doesn't charge for counts once it exceeds ten times the rest. */
  get cost(): number {
    return Math.max(this.#spent, this.#worked / 10);
  }

  /** Adds to the cost. Throws a `CelError` beyond the limit. */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new CelError("operation cancelled: actual cost limit exceeded");
  }

  readonly work = (steps: number): void => {
    this.#worked += steps;
    if (this.#worked / 10 > this.#limit) throw new CelError("operation cancelled: actual cost limit exceeded");
  };

  /** Evaluates a node. Throws a `CelError`. */
  evaluate(node: CelNode, scope: CelScope): CelValue {
    this.spend(isConstant(node) ? 0 : (nodeCosts[node.op] ?? 1));
    switch (node.op) {
      case "value":
        return node.args;
      case "id":
        return variable(node.args, scope);
      case ".":
        return this.#select(node, scope);
      case ".?":
        return optionalField(this.evaluate(node.args[0], scope), node.args[1]);
      case "[]":
        return index(this.evaluate(node.args[0], scope), this.evaluate(node.args[1], scope));
      case "[?]":
        return optionalIndex(this.evaluate(node.args[0], scope), this.evaluate(node.args[1], scope));
      case "call":
        return (
          evaluateMacro(this, node, scope) ??
          callFunction(
            this,
            node.args[0].replace(/^\./, ""),
            node.args[1].map((arg) => this.evaluate(arg, scope)),
          )
        );
      case "rcall":
        return this.#method(node, scope);
      case "list":
        return node.args.flatMap((item, at) => this.#present(item, node.optional.has(at), scope));
      case "map":
        return new LiteralMap(
          node.args.flatMap(([key, value], at) => {
            const name = this.evaluate(key, scope);
            return this.#present(value, node.optional.has(at), scope).map((each) => [name, each] as const);
          }),
        );
      case "struct":
        return this.#message(node.args[0], node.args[1], scope);
      case "?:": {
        const chosen = boolean(this.evaluate(node.args[0], scope)) ? node.args[1] : node.args[2];
        return chosen.op === "id" ? variable(chosen.args, scope) : this.evaluate(chosen, scope);
      }
      case "||":
        return this.#logic(node.args[0], node.args[1], scope, true);
      case "&&":
        return this.#logic(node.args[0], node.args[1], scope, false);
      case "!_":
        return !boolean(this.evaluate(node.args, scope));
      case "-_":
        return negate(this.evaluate(node.args, scope));
      default:
        return this.#binary(node.op, this.evaluate(node.args[0], scope), this.evaluate(node.args[1], scope));
    }
  }

  #select(node: CelNode & { op: "." }, scope: CelScope): CelValue {
    const qualified = qualifiedName(node);
    if (qualified !== undefined) {
      const constant = scope.lookUp(qualified.replace(/^\./, "")) ?? namedType(qualified);
      if (constant !== undefined) return constant;
    }
    return fieldOf(this.evaluate(node.args[0], scope), node.args[1]);
  }

  #method(node: CelMethodNode, scope: CelScope): CelValue {
    const macro = evaluateMacro(this, node, scope);
    if (macro !== undefined) return macro;
    const [name, target, args] = node.args;
    // `sets.contains(a, b)` looks like a method but is a function with a dot in its name.
    const qualified = `${qualifiedName(target)?.replace(/^\./, "") ?? ""}.${name}`;
    const values = args.map((arg) => this.evaluate(arg, scope));
    if (overloadsOf(qualified, true) !== undefined) return callFunction(this, qualified, values);
    return callMethod(this, name, this.evaluate(target, scope), values);
  }

  /** Returns the value of an entry as a list; empty for an optional entry without a value. */
  #present(node: CelNode, optional: boolean, scope: CelScope): CelValue[] {
    const value = this.evaluate(node, scope);
    if (!optional) return [value];
    if (!(value instanceof CelOptional)) throw new CelError("no such overload");
    return value.value === undefined ? [] : [value.value];
  }

  #message(name: string, fields: readonly CelFieldNode[], scope: CelScope): CelMessage {
    return new CelMessage(
      name.replace(/^\./, ""),
      fields.flatMap((field) =>
        this.#present(field.value, field.optional, scope).map((value) => [field.name, value] as const),
      ),
    );
  }

  /** Evaluates `&&` or `||`: an error on one side doesn't matter if the other side decides. */
  #logic(left: CelNode, right: CelNode, scope: CelScope, decisive: boolean): boolean {
    let failure: unknown;
    try {
      if (boolean(this.evaluate(left, scope)) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof CelError) || error.message.startsWith("operation cancelled")) throw error;
      failure = error;
    }
    const value = boolean(this.evaluate(right, scope));
    if (value === decisive || failure === undefined) return value;
    throw failure as CelError;
  }

  #binary(op: string, left: CelValue, right: CelValue): CelValue {
    switch (op) {
      case "==":
        return this.#equals(left, right);
      case "!=":
        return !this.#equals(left, right);
      case "<":
        return this.#compare(left, right) < 0;
      case "<=":
        return this.#compare(left, right) <= 0;
      case ">":
        return this.#compare(left, right) > 0;
      case ">=":
        return this.#compare(left, right) >= 0;
      case "in":
        return this.#contains(left, right);
      default:
        return this.#arithmetic(op, left, right);
    }
  }

  #equals(left: CelValue, right: CelValue): boolean {
    this.spend(beyondOne(Math.min(sizeOf(left), sizeOf(right))));
    return celEquals(left, right, this.work);
  }

  #compare(left: CelValue, right: CelValue): number {
    this.spend(beyondOne(Math.min(lengthOf(left), lengthOf(right))));
    return celCompare(left, right);
  }

  #contains(item: CelValue, container: CelValue): boolean {
    if (isCelMap(container)) return container.has?.(item) ?? container.get(item) !== undefined;
    if (!isCelList(container)) throw new CelError("no such overload");
    this.spend(container.length - 1);
    return container.some((other) => celEquals(item, other, this.work));
  }

  #arithmetic(op: string, left: CelValue, right: CelValue): CelValue {
    if (typeof left === "bigint" && typeof right === "bigint") return int64(integers(op, left, right));
    if (left instanceof CelUint && right instanceof CelUint) return uintOf(integers(op, left.value, right.value));
    if (typeof left === "number" && typeof right === "number" && op !== "%") return doubles(op, left, right);
    if (op === "+") return this.#add(left, right);
    if (op === "-") return subtractTimes(left, right);
    throw new CelError("no such overload");
  }

  #add(left: CelValue, right: CelValue): CelValue {
    if (typeof left === "string" && typeof right === "string") {
      this.spend(beyondOne(left.length + right.length));
      return left + right;
    }
    if (left instanceof Uint8Array && right instanceof Uint8Array) {
      this.spend(beyondOne(left.length + right.length));
      return concatBytes([left, right]);
    }
    if (isCelList(left) && isCelList(right)) return addLists(left, right, this.work);
    if (left instanceof CelDuration && right instanceof CelDuration) return new CelDuration(left.ns + right.ns);
    if (left instanceof CelTimestamp && right instanceof CelDuration) return new CelTimestamp(left.ns + right.ns);
    if (left instanceof CelDuration && right instanceof CelTimestamp) return new CelTimestamp(left.ns + right.ns);
    throw new CelError("no such overload");
  }
}
