const brand = Symbol.for("kubestream.error");

/**
 * Base class of all errors that kubestream throws, except `TypeError` and `RangeError` for invalid arguments.
 * `instanceof` also recognizes errors from another copy of the package.
 *
 * @example
 * ```ts
 * import { KubestreamError, StatusError, TransportError } from "kubestream";
 *
 * export function describeFailure(error: unknown): string {
 *   if (error instanceof StatusError) return `the API server rejected the request: ${error.reason}`;
 *   if (error instanceof TransportError) return `the API server is unreachable: ${error.code ?? error.message}`;
 *   return error instanceof KubestreamError ? error.message : "unexpected error";
 * }
 * ```
 */
export class KubestreamError extends Error {
  /** Name of the class. */
  override readonly name: string = "KubestreamError";

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Recognizes errors from other copies of the package by their brand, and derived classes by their name. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (!(brand in value)) return false;
    const wanted = this.className;
    return wanted === "KubestreamError" || (value as { name?: unknown }).name === wanted;
  }

  /** Name of the class, which survives minification. */
  static get className(): string {
    return "KubestreamError";
  }
}
