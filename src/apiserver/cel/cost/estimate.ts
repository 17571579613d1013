import type { CelStaticType } from "../checker/types.js";

/** Minimum and maximum number of elements or characters of a value. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** Estimate of one part of an expression. */
export interface Estimate {
  /** Maximum cost. */
  readonly cost: number;
  /** Size of the value, if known. */
  readonly size?: Size | undefined;
  /** Size of the value's elements, if known. */
  readonly entry?: Size | undefined;
  /** Path from a variable to the value. */
  readonly path: readonly string[];
  readonly type: CelStaticType;
  /** Value of an integer literal. */
  readonly literal?: bigint | undefined;
}

/** Maximum of all estimates: kube-apiserver uses saturating 64-bit arithmetic. */
const mostCost = 2 ** 64;
const unknown: Size = { min: 0, max: mostCost };

/** Returns the size of a part's value. */
export function sizeOf({ size }: Estimate): Size {
  return size ?? unknown;
}

/** Returns the cost of visiting this many elements, `factor` per element. */
export function share(size: number, factor: number): number {
  return Math.min(Math.ceil(Math.min(size, mostCost) * factor), mostCost);
}

/** Cost of scanning a string, per character. */
export const textCost = 0.1;

/** Caps a sum or product at the maximum. */
export const capped = (value: number): number => Math.min(value, mostCost);
