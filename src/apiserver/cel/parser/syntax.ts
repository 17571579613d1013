import type { CelUint } from "../values/values.js";

/** Where a node stands in its expression. */
interface Place {
  /** Offset of what names the node: an operator, a dot, the bracket of a call. */
  readonly pos: number;
  /** The whole expression. */
  readonly input: string;
}

/** A field of a message under construction, `Object{name: value}`. */
export interface CelFieldNode {
  readonly name: string;
  readonly value: CelNode;
  readonly optional: boolean;
  /** Offset of the colon. */
  readonly pos: number;
}

/** Operators between two values. */
export type CelBinaryOperator =
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "in"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "||"
  | "&&";

/** A node of a parsed expression. Macros stay calls. */
export type CelNode = Place &
  (
    | { readonly op: "value"; readonly args: null | boolean | bigint | number | string | Uint8Array | CelUint }
    | { readonly op: "id"; readonly args: string }
    | { readonly op: "."; readonly args: readonly [CelNode, string] }
    | { readonly op: ".?"; readonly args: readonly [CelNode, string] }
    | { readonly op: "[]"; readonly args: readonly [CelNode, CelNode] }
    | { readonly op: "[?]"; readonly args: readonly [CelNode, CelNode] }
    | { readonly op: "call"; readonly args: readonly [string, readonly CelNode[]] }
    | { readonly op: "rcall"; readonly args: readonly [string, CelNode, readonly CelNode[]] }
    | { readonly op: "list"; readonly args: readonly CelNode[]; readonly optional: ReadonlySet<number> }
    | {
        readonly op: "map";
        readonly args: readonly (readonly [CelNode, CelNode])[];
        readonly optional: ReadonlySet<number>;
      }
    | { readonly op: "struct"; readonly args: readonly [string, readonly CelFieldNode[]] }
    | { readonly op: "?:"; readonly args: readonly [CelNode, CelNode, CelNode] }
    | { readonly op: "!_" | "-_"; readonly args: CelNode }
    | { readonly op: CelBinaryOperator; readonly args: readonly [CelNode, CelNode] }
  );

/** A call of a function. */
export type CelCallNode = Extract<CelNode, { readonly op: "call" }>;

/** A call of a method: its name, its target and its arguments. */
export type CelMethodNode = Extract<CelNode, { readonly op: "rcall" }>;

/** The nodes directly under a node. */
export function childrenOf(node: CelNode): readonly CelNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    case "struct":
      return node.args[1].map(({ value }) => value);
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}
