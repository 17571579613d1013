import type { CelUint } from "../values/values.js";

/** Position of a node in its expression. */
interface Place {
  /** Offset of the token that identifies the node: an operator, a dot, the bracket of a call. */
  readonly pos: number;
  /** Source text of the whole expression. */
  readonly input: string;
}

/** A field of a message literal, `Object{name: value}`. */
export interface CelFieldNode {
  readonly name: string;
  readonly value: CelNode;
  readonly optional: boolean;
  /** Offset of the colon. */
  readonly pos: number;
}

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

export type CelCallNode = Extract<CelNode, { readonly op: "call" }>;

/** A method call: name, target and arguments. */
export type CelMethodNode = Extract<CelNode, { readonly op: "rcall" }>;

/** Returns the direct children of a node. */
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
