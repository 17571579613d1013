import type { Operand, Pipe, TemplateNode } from "./parse-template.js";
import { display, isTrue, type TemplateFunction } from "./template-functions.js";

/** Functions by name. */
export type TemplateFunctions = Readonly<Record<string, TemplateFunction>>;

/** Nested ranges multiply, so the parts that one rendering visits are limited. */
const maxParts = 100_000;
/** An object of the API isn't larger. */
const maxChars = 3 * 1024 * 1024;
/** Characters of arguments that one rendering reads. Enough to print the largest object some times. */
const maxRead = 16 * maxChars;
/** Functions that take as long for a large value as for a small one. */
const constantTime: ReadonlySet<string> = new Set(["and", "default", "dict", "index", "len", "list", "not", "or"]);

/**
 * Renders a template for an object. Throws an `Error` with the line, for example for a call that fails, and for a text or
 * a value of over 3 MiB, more than 100,000 parts, or calls that read more than 48 MiB.
 */
export function renderTemplate(nodes: readonly TemplateNode[], dot: unknown, functions: TemplateFunctions): string {
  return new Renderer(functions).block(nodes, dot, new Scope(undefined, [["", dot]]));
}

/** Variables of a block. */
class Scope {
  readonly #outer: Scope | undefined;
  readonly #values: Map<string, unknown>;

  constructor(outer: Scope | undefined, values: readonly (readonly [string, unknown])[] = []) {
    this.#outer = outer;
    this.#values = new Map(values);
  }

  declare(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** Returns the scope that has a variable. */
  find(name: string): Scope {
    if (this.#values.has(name)) return this;
    if (this.#outer === undefined) throw new TypeError(`undefined variable $${name}`);
    return this.#outer.find(name);
  }

  get(name: string): unknown {
    return this.find(name).#values.get(name);
  }
}

/**
 * Sizes of values in characters, about as long as their JSON. A list that contains another one twice, which contains
 * another one twice, and so on, takes little memory and has a large size.
 */
class Sizes {
  readonly #known = new WeakMap<object, number>();

  of(value: unknown): number {
    if (typeof value === "string") return value.length + 2;
    if (typeof value !== "object" || value === null) return 4;
    let size = this.#known.get(value);
    if (size === undefined) {
      size = 2;
      for (const [key, member] of Object.entries(value))
        size += (Array.isArray(value) ? 1 : key.length + 4) + this.of(member);
      this.#known.set(value, size);
    }
    return size;
  }
}

class Renderer {
  readonly #functions: TemplateFunctions;
  #parts = 0;
  #chars = 0;
  #read = 0;
  readonly #sizes = new Sizes();

  constructor(functions: TemplateFunctions) {
    this.#functions = functions;
  }

  block(nodes: readonly TemplateNode[], dot: unknown, scope: Scope): string {
    return nodes.map((node) => this.#node(node, dot, scope)).join("");
  }

  /** Counts a text of the result. */
  #print(text: string): string {
    this.#chars += text.length;
    if (this.#chars > maxChars) throw new RangeError("the result of the template is larger than 3 MiB");
    return text;
  }

  /** Counts values that are read as a whole. */
  #charge(values: readonly unknown[]): void {
    for (const value of values) this.#read += this.#sizes.of(value);
    if (this.#read > maxRead) throw new RangeError("the template reads more than 48 MiB");
  }

  #node(node: TemplateNode, dot: unknown, scope: Scope): string {
    if (++this.#parts > maxParts) throw new RangeError(`the template has more than ${maxParts} parts to render`);
    if (node.is === "text") return this.#print(node.text);
    if (node.is === "print") {
      const value = this.#pipe(node.pipe, dot, scope);
      if (node.pipe.variables.length > 0) return "";
      this.#charge([value]);
      return this.#print(display(value));
    }
    const inner = new Scope(scope);
    if (node.is === "range") return this.#range(node, dot, inner);
    const value = this.#pipe(node.pipe, dot, inner);
    if (!isTrue(value)) return this.block(node.otherwise, dot, inner);
    return this.block(node.body, node.is === "with" ? value : dot, inner);
  }

  #range(
    { pipe, body, otherwise }: Exclude<TemplateNode, { is: "text" | "print" }>,
    dot: unknown,
    scope: Scope,
  ): string {
    const value = this.#pipe({ ...pipe, variables: [] }, dot, scope);
    const entries = entriesOf(value);
    if (entries.length === 0) return this.block(otherwise, dot, scope);
    const { variables } = pipe;
    return entries
      .map(([key, item]) => {
        const names = variables.length < 2 ? variables.map((name) => [name, item] as const) : undefined;
        return this.block(
          body,
          item,
          new Scope(
            scope,
            names ?? [
              [variables[0]!, key],
              [variables[1]!, item],
            ],
          ),
        );
      })
      .join("");
  }

  #pipe({ variables, declares, commands, line }: Pipe, dot: unknown, scope: Scope): unknown {
    try {
      let value: unknown;
      commands.forEach((command, index) => {
        value = this.#command(command, dot, scope, index === 0 ? [] : [value]);
      });
      for (const name of variables) (declares ? scope : scope.find(name)).declare(name, value);
      return value;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw message.startsWith("line ") ? error : new Error(`line ${line}: ${message}`);
    }
  }

  #command([first, ...rest]: readonly Operand[], dot: unknown, scope: Scope, last: readonly unknown[]): unknown {
    const args = [...rest.map((operand) => this.#value(operand, dot, scope)), ...last];
    if (first!.is === "function") {
      if (!constantTime.has(first!.name)) this.#charge(args);
      const value = this.#functions[first!.name]!(...args);
      if (this.#sizes.of(value) > maxChars) throw new RangeError("a value is larger than 3 MiB");
      return value;
    }
    if (args.length > 0) throw new TypeError("a value can't be called with arguments");
    return this.#value(first!, dot, scope);
  }

  #value(operand: Operand, dot: unknown, scope: Scope): unknown {
    switch (operand.is) {
      case "literal":
        return operand.value;
      case "function":
        return this.#functions[operand.name]!();
      case "path":
        return fieldOf(operand.variable === undefined ? dot : scope.get(operand.variable), operand.fields);
      case "group":
        return fieldOf(this.#pipe(operand.pipe, dot, scope), operand.fields);
    }
  }
}

function fieldOf(value: unknown, fields: readonly string[]): unknown {
  return fields.reduce((inner, field) => {
    const isObject = typeof inner === "object" && inner !== null && Object.hasOwn(inner, field);
    return isObject ? (inner as Record<string, unknown>)[field] : undefined;
  }, value);
}

function entriesOf(value: unknown): (readonly [unknown, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item] as const);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
