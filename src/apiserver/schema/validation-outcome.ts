import type { FieldError } from "../errors/field-error.js";

/**
 * Maximum number of errors of one validation. A body of 3 MB can hold a million invalid values, whose errors would need
 * a hundred times its memory. A real server reports them all.
 */
const mostErrors = 10_000;

/** Result of a validation: distinct errors, and the number of checks. */
export class Outcome {
  readonly errors: Map<string, FieldError> = new Map<string, FieldError>();
  count = 0;

  /** Creates an outcome with one error. */
  static of(error: FieldError): Outcome {
    const outcome = new Outcome();
    outcome.add(error);
    return outcome;
  }

  /** Adds an error, unless it was added before. */
  add(error: FieldError): void {
    if (this.errors.size >= mostErrors) return;
    const key = `${error.type}\n${error.field}\n${error.detail}`;
    if (!this.errors.has(key)) this.errors.set(key, error);
  }

  /** Adds everything from another outcome. */
  merge(other: Outcome): void {
    for (const [key, error] of other.errors) {
      if (this.errors.size >= mostErrors) break;
      if (!this.errors.has(key)) this.errors.set(key, error);
    }
    this.count += other.count;
  }
}
