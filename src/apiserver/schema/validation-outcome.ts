import type { FieldError } from "../errors/field-error.js";

/**
 * Maximum number of errors of one validation. A body of 3 MB can hold a million invalid values, whose errors would need
 * a hundred times its memory. A real server reports them all.
 */
const mostErrors = 10_000;

const none: ReadonlyMap<string, FieldError> = new Map();

/** Result of a validation: distinct errors, and the number of checks. */
export class Outcome {
  // Most outcomes are of a single check that passes.
  #errors: Map<string, FieldError> | undefined;
  count = 0;

  /** Creates an outcome with one error. */
  static of(error: FieldError): Outcome {
    const outcome = new Outcome();
    outcome.add(error);
    return outcome;
  }

  /** The errors by everything that identifies them. */
  get errors(): ReadonlyMap<string, FieldError> {
    return this.#errors ?? none;
  }

  /** Adds an error, unless it was added before. */
  add(error: FieldError): void {
    this.#put(`${error.type}\n${error.field}\n${error.detail}`, error);
  }

  /** Adds everything from another outcome. */
  merge(other: Outcome): void {
    this.count += other.count;
    if (other.#errors === undefined) return;
    for (const [key, error] of other.#errors) if (!this.#put(key, error)) break;
  }

  /** Adds everything from the outcome of a check, and counts the check. */
  step(other: Outcome): void {
    this.merge(other);
    this.count += 1;
  }

  /** Removes all errors. */
  clear(): void {
    this.#errors = undefined;
  }

  /** Adds an error, unless its key is known. Returns false if the outcome is full. */
  #put(key: string, error: FieldError): boolean {
    this.#errors ??= new Map();
    if (this.#errors.size >= mostErrors) return false;
    if (!this.#errors.has(key)) this.#errors.set(key, error);
    return true;
  }
}
