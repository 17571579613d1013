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

/** A decoder, parser or evaluator that takes bytes from outside. */
export interface Target {
  /** Largest input in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /** True if the input arrives in chunks. Default false: whole. */
  readonly chunked?: boolean;
  /** Words from which inputs are built. */
  readonly vocabulary: Vocabulary;
  /**
   * Returns ordinary input of about as many bytes, one character per byte, for a target that does more than parse: a
   * server that answers a request for each 45 bytes, an evaluator with a budget. Hostile input may then take a few times
   * what this takes. Default: `JSON.parse` is what input of that size may be compared with.
   */
  readonly wellFormed?: (bytes: number) => string;
  /** True if no input may take more than a few seconds, whatever ordinary input takes. Default: false. */
  readonly wholeRequest?: boolean;
  /** Largest ordinary input in bytes that is accepted. Default: `maxBytes`. */
  readonly acceptedBytes?: number;
  /** Prepares a run, without being measured. The returned function is measured. */
  prepare(input: Hostile): Run | Promise<Run>;
  /** Returns true if an error that isn't one of the package's is the answer to bad input. */
  refuses?(error: unknown): boolean;
  /** Ends the run, without being measured. */
  cleanUp?(): Promise<void>;
}

/** Feeds the input to the target. Resolves when the input has been consumed or refused, perhaps to a `Refused`. */
export type Run = () => unknown;

/** Answer that refuses an input. Ordinary input must not get one. */
export class Refused {
  readonly answer: string;

  constructor(answer: string) {
    this.answer = answer;
  }
}

/** Visits every value below, so that lazy parts are decoded. Needs no stack, whatever the depth. */
export function touch(value: unknown): void {
  const open = [value];
  const visit = (member: unknown): void => {
    if (typeof member === "object" && member !== null) open.push(member);
  };
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) next.forEach(visit);
    else if (typeof next === "object" && next !== null && !ArrayBuffer.isView(next))
      for (const key of Object.keys(next)) visit((next as Record<string, unknown>)[key]);
  }
}
