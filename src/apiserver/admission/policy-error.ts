import { CelError } from "../cel/values/values.js";

/** An error in a policy, its binding or its result. The message is the one that rejects the request. */
export class PolicyError extends Error {
  /** Name of the class. */
  override readonly name = "PolicyError";
}

/**
 * Returns the message of a policy's error. Rethrows other errors, so that `failurePolicy: Ignore` doesn't hide them.
 */
export function policyFault(error: unknown): string {
  if (error instanceof PolicyError || error instanceof CelError) return error.message;
  throw error;
}
