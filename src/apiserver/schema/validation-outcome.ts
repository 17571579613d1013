import { maxCauses } from "../errors/bounded.js";
import type { FieldError } from "../errors/field-error.js";

const none: ReadonlyMap<string, FieldError> = new Map();

/**
 * Result of a validation: distinct errors, and the number of checks. It holds as many errors as a response can show: a
 * body of 3 MB can hold a million invalid values, whose errors would need a hundred times its memory.
 */
export class Outcome {
  // Most outcomes are of a single check that passes.
  #errors: Map<string, FieldError> | undefined;
  count = 0;

  /** The errors by everything that identifies them. */
  get errors(): ReadonlyMap<string, FieldError> {
    return this.#errors ?? none;
  }

  /** True if no further error is kept, so that what follows needn't be checked. */
  get isFull(): boolean {
    return this.#errors !== undefined && this.#errors.size >= maxCauses;
  }

  /** Adds an error, unless it was added before. */
  add(error: FieldError): void {
    this.#put(`${error.type}\n${error.field}\n${error.detail}`, error);
  }

  /** Adds everything from another outcome. */
  merge(other: Outcome): void {
    this.count += other.count;
    if (other.#errors === undefined) return;
    for (const [key, error] of other.#errors) this.#put(key, error);
  }

  /** Removes all errors. */
  clear(): void {
    this.#errors = undefined;
  }

  #put(key: string, error: FieldError): void {
    if (this.isFull) return;
    this.#errors ??= new Map();
    if (!this.#errors.has(key)) this.#errors.set(key, error);
  }
}
