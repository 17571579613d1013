import type { Vocabulary } from "./shapes.js";

/** Hostile input, whole and in the chunks in which it arrives. */
export interface Hostile {
  /** The input. */
  readonly bytes: Uint8Array;
  /** The input in chunks. */
  readonly chunks: readonly Uint8Array[];
  /** The input as text; invalid UTF-8 is replaced. */
  readonly text: string;
}

/** Bounds of a target that differ from the suite's, with the reason next to them. */
export interface Allowance {
  /** CPU time in multiples of `JSON.parse` of as many bytes. Default 20. */
  readonly cpuFactor?: number;
  /** CPU time in milliseconds that any input may take. Default 100: timers, garbage collection, a first compilation. */
  readonly cpuMs?: number;
  /** Memory in multiples of the input. Default 30. */
  readonly memoryFactor?: number;
}

/** A decoder, parser or evaluator that takes bytes from outside. */
export interface Target {
  /** Largest input in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /** True if the input arrives in chunks. Default false: whole. */
  readonly chunked?: boolean;
  /** Words from which inputs are built. */
  readonly vocabulary: Vocabulary;
  /** Bounds, if they differ from the suite's. */
  readonly allowance?: Allowance;
  /** Prepares a run, without being measured. The returned function is measured. */
  prepare(input: Hostile): Run | Promise<Run>;
  /** Returns true if an error that isn't one of the package's is the answer to bad input. */
  refuses?(error: unknown): boolean;
  /** Ends the run, without being measured. */
  cleanUp?(): Promise<void>;
}

/** Feeds the input to the target. Resolves when the input has been consumed or refused. */
export type Run = () => unknown;

/** Visits every value below, so that lazy parts are decoded. Needs no stack, whatever the depth. */
export function touch(value: unknown): void {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "object" && next !== null && !ArrayBuffer.isView(next))
      for (const key of Object.keys(next)) {
        const member = (next as Record<string, unknown>)[key];
        if (typeof member === "object" && member !== null) open.push(member);
      }
  }
}
