import type { FieldError } from "../errors/field-error.js";

/** What checks of a value came to: its errors, each told once, and how many checks there were. */
export class Outcome {
  readonly errors: Map<string, FieldError> = new Map<string, FieldError>();
  count = 0;

  /** An outcome that is one error. */
  static of(error: FieldError): Outcome {
    const outcome = new Outcome();
    outcome.add(error);
    return outcome;
  }

  /** Adds an error, unless the same is told already. */
  add(error: FieldError): void {
    const key = `${error.type}\n${error.field}\n${error.detail}`;
    if (!this.errors.has(key)) this.errors.set(key, error);
  }

  /** Adds all of another outcome. */
  merge(other: Outcome): void {
    for (const [key, error] of other.errors) if (!this.errors.has(key)) this.errors.set(key, error);
    this.count += other.count;
  }
}
