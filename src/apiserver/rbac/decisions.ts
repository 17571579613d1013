import type { AuthorizationAttributes } from "./attributes.js";
import type { Authorizer, Decision } from "./authorizer.js";

/** Signal of synchronous code that needs a decision which isn't known yet. */
class PendingDecision extends Error {
  /** Resolves when the code can run again. */
  readonly settled: Promise<unknown>;

  constructor(settled: Promise<unknown>) {
    super("the decision of an authorizer is pending");
    this.settled = settled;
  }
}

/**
 * Returns a synchronous form of an authorizer for code that can't wait, such as CEL expressions. Run that code with
 * `rerunUntilDecided`.
 */
export function synchronousDecisions(authorizer: Authorizer): (attributes: AuthorizationAttributes) => Decision {
  const known = new Map<string, Decision>();
  return (attributes) => {
    const found = known.size === 0 ? undefined : known.get(JSON.stringify(attributes));
    if (found !== undefined) return found;
    const decision = authorizer.authorize(attributes);
    if (!(decision instanceof Promise)) return decision;
    throw new PendingDecision(decision.then((settled) => known.set(JSON.stringify(attributes), settled)));
  };
}

/**
 * Runs code that uses `synchronousDecisions`, again after each decision it had to wait for. The code must not have side
 * effects.
 */
export function rerunUntilDecided<T>(run: () => T): T | Promise<T> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PendingDecision)) throw error;
    return error.settled.then(() => rerunUntilDecided(run));
  }
}
