import { type MutableFieldSet, markElement, nodeBelow } from "./field-set.js";
import type { PathElement } from "./path-element.js";

/**
 * Where a walk over a value is: one step, and the way it came by. The nodes of the sets that the walk fills are found once for each step, not
 * from the root for each field.
 */
export interface Trail {
  /** The step before; undefined at the root. */
  readonly up: Trail | undefined;
  /** The step to here; of no account at the root. */
  readonly element: PathElement;
  /** Nodes of the sets that stand for this place, by the sets' numbers. */
  readonly nodes: (MutableFieldSet | undefined)[];
}

/** The beginning of a walk that fills these sets. */
export function startTrail(...sets: MutableFieldSet[]): Trail {
  return { up: undefined, element: "", nodes: sets };
}

/** One step further. */
export function follow(trail: Trail, element: PathElement): Trail {
  return { up: trail, element, nodes: [] };
}

/** Makes this place a member of a set; the root is none. */
export function markMember(trail: Trail, set: number): void {
  if (trail.up !== undefined) markElement(nodeOf(trail.up, set), trail.element);
}

function nodeOf(trail: Trail, set: number): MutableFieldSet {
  return (trail.nodes[set] ??= nodeBelow(nodeOf(trail.up!, set), trail.element));
}
