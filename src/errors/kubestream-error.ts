const brand = Symbol.for("kubestream.error");

/**
 * Base class of everything that kubestream throws on purpose, besides `TypeError` and `RangeError` for misuse.
 * `instanceof` also recognises errors of another copy of the package.
 */
export class KubestreamError extends Error {
  /** Name of the class. */
  override readonly name: string = "KubestreamError";

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Recognises errors of other copies of the package by their brand, and of derived classes by their name. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (!(brand in value)) return false;
    const wanted = this.className;
    return wanted === "KubestreamError" || (value as { name?: unknown }).name === wanted;
  }

  /** The class's own name, which survives minification. */
  static get className(): string {
    return "KubestreamError";
  }
}
