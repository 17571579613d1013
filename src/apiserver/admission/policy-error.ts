import { CelError } from "../cel/values/values.js";

/** Something wrong with a policy, its binding or what it makes; the message is the one that the request is refused with. */
export class PolicyError extends Error {
  /** Name of the class. */
  override readonly name = "PolicyError";
}

/** What is wrong with a policy. Throws the error again where it is no policy's fault, so that `failurePolicy: Ignore` hides nothing else. */
export function policyFault(error: unknown): string {
  if (error instanceof PolicyError || error instanceof CelError) return error.message;
  throw error;
}
