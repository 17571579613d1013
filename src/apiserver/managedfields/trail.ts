import { type MutableFieldSet, markElement, nodeBelow } from "./field-set.js";
import type { PathElement } from "./path-element.js";

/**
 * Position of a walk over a value. Nodes of the sets that the walk fills are looked up once per step, not from the root
 * for each field.
 */
export interface Trail {
  /** Previous position; `undefined` at the root. */
  readonly up: Trail | undefined;
  /** Path element of this step; unused at the root. */
  readonly element: PathElement;
  /** Nodes for this position, by index of the set. */
  readonly nodes: (MutableFieldSet | undefined)[];
}

/** Starts a walk that fills these sets. */
export function startTrail(...sets: MutableFieldSet[]): Trail {
  return { up: undefined, element: "", nodes: sets };
}

/** Descends by one path element. */
export function follow(trail: Trail, element: PathElement): Trail {
  return { up: trail, element, nodes: [] };
}

/** Adds this position to a set. The root is never a member. */
export function markMember(trail: Trail, set: number): void {
  if (trail.up !== undefined) markElement(nodeOf(trail.up, set), trail.element);
}

function nodeOf(trail: Trail, set: number): MutableFieldSet {
  return (trail.nodes[set] ??= nodeBelow(nodeOf(trail.up!, set), trail.element));
}
