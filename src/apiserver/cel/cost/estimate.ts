import type { CelStaticType } from "../checker/types.js";

/** Least and most elements or characters of a value. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** What is known of a part of an expression. */
export interface Estimate {
  /** Most steps it takes. */
  readonly cost: number;
  /** How large its value is; absent where that is not known. */
  readonly size?: Size | undefined;
  /** How large the elements of its value are. */
  readonly entry?: Size | undefined;
  /** Steps from a variable to the value. */
  readonly path: readonly string[];
  readonly type: CelStaticType;
  /** The number that the part is, written out. */
  readonly literal?: bigint | undefined;
}

/** Where numbers end: a server counts with 64 bits and stays there. */
const MOST = 2 ** 64;
const unknown: Size = { min: 0, max: MOST };

/** The size of a part's value. */
export function sizeOf({ size }: Estimate): Size {
  return size ?? unknown;
}

/** What going through so many elements costs, `factor` for each. */
export function share(size: number, factor: number): number {
  return Math.min(Math.ceil(Math.min(size, MOST) * factor), MOST);
}

/** What going through a text once costs, for each of its characters. */
export const TEXT = 0.1;

/** A sum, or a product, as far as it is counted. */
export const capped = (value: number): number => Math.min(value, MOST);
