import { rangeMacro } from "./cel-macro-forms.js";
import type { CelNode } from "./cel-syntax.js";
import type { Schema } from "./schema.js";

/** Bytes of the largest request: what bounds lists and maps that have no bound of their own. */
const requestBytes = 3 * 1024 * 1024;

/** Most elements that a list or map of this schema can have. */
export function longestList(schema: Schema | undefined): number {
  if (schema?.type === "array") return schema.maxItems ?? Math.floor((requestBytes - 2) / (leastBytes(schema.items) + 1));
  return schema?.maxProperties ?? Math.floor((requestBytes - 2) / (leastBytes(valuesOf(schema)) + 6));
}

/** Most values of this schema that one object can hold, wherever they are. */
export function mostValues(schema: Schema): number {
  return Math.floor(requestBytes / (leastBytes(schema) + 1));
}

function valuesOf(schema: Schema | undefined): Schema | undefined {
  return typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

const leastText: Readonly<Record<string, number>> = { duration: 3, date: 12, "date-time": 21 };

/** Bytes of the shortest JSON of a value. */
function leastBytes(schema: Schema | undefined): number {
  if (schema?.["x-kubernetes-int-or-string"] === true) return 1;
  switch (schema?.type) {
    case "string": return leastText[schema.format ?? ""] ?? 2;
    case "array": return 2;
    case "object": {
      let bytes = 2;
      if (valuesOf(schema) !== undefined) return bytes;
      for (const name of schema.required ?? []) {
        const property = schema.properties?.[name];
        if (property !== undefined && property.default === undefined) bytes += name.length + leastBytes(property) + 4;
      }
      return bytes;
    }
    case "boolean": return 4;
    default: return 1;
  }
}

type Scope = ReadonlyMap<string, Schema | undefined>;

/**
 * Steps that an expression can take on the largest values of a schema. It counts how often the bodies of macros run, and so never says more
 * than the server's own estimate.
 */
export function estimateCost(node: CelNode, schema: Schema): number {
  return costOf(node, new Map([["self", schema], ["oldSelf", schema]]));
}

function costOf(node: CelNode, scope: Scope): number {
  switch (node.op) {
    case "value":
    case "id": return 1;
    case ".":
    case ".?": return 1 + costOf(node.args[0], scope);
    case "call": return sum(node.args[1], scope);
    case "rcall": return methodCost(node.args[0], node.args[1], node.args[2], scope);
    case "map": return sum(node.args.flat(), scope);
    case "struct": return sum(node.args[1].map(({ value }) => value), scope);
    case "list": return sum(node.args, scope);
    case "!_":
    case "-_": return 1 + costOf(node.args, scope);
    default: return sum(node.args, scope);
  }
}

function sum(nodes: readonly CelNode[], scope: Scope): number {
  return nodes.reduce((total, node) => total + costOf(node, scope), 1);
}

function methodCost(name: string, target: CelNode, args: readonly CelNode[], scope: Scope): number {
  const form = rangeMacro(name, args.length);
  if (form === undefined) return costOf(target, scope) + sum(args, scope);
  const range = schemaOf(target, scope);
  const size = range === undefined ? 1 : longestList(range);
  const two = form.variables === 2;
  const inner = new Map(scope);
  const item = range?.type === "array" ? range.items : two && typeof range?.additionalProperties === "object" ? range.additionalProperties : undefined;
  args.slice(0, form.variables).forEach((variable, at) => {
    if (variable.op === "id") inner.set(variable.args, !two || at === 1 ? item : undefined);
  });
  return costOf(target, scope) + size * sum(args.slice(form.variables), inner);
}

/** The schema of what a path of fields leads to. */
function schemaOf(node: CelNode, scope: Scope): Schema | undefined {
  if (node.op === "id") return scope.get(node.args);
  if (node.op !== "." && node.op !== "[]") return undefined;
  const target = schemaOf(node.args[0], scope);
  if (node.op === "[]") return target?.items ?? (typeof target?.additionalProperties === "object" ? target.additionalProperties : undefined);
  return target?.properties?.[node.args[1]] ?? (typeof target?.additionalProperties === "object" ? target.additionalProperties : undefined);
}
