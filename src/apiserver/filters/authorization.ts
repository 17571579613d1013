import type { ApiFailure } from "../errors/status.js";
import { PlainFailure } from "../errors/status.js";
import type { AuditTrail } from "../http/audit-trail.js";
import { goQuote } from "../internal/go-text.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { requestAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";
import { forbiddenTo } from "../rbac/refusal.js";
import type { Filter } from "./filter.js";

/**
 * Throws 403 if the user isn't allowed to do this, and 500 if an authorizer failed. Records the decision in the audit
 * log.
 */
export async function authorize(
  authorizer: Authorizer,
  action: AuthorizationAttributes,
  audit?: AuditTrail,
): Promise<void> {
  const checked = authorizer.authorize(action);
  const decision = checked instanceof Promise ? await checked : checked;
  audit?.annotate("authorization.k8s.io/decision", decision.allowed ? "allow" : "forbid");
  audit?.annotate("authorization.k8s.io/reason", decision.reason);
  if (decision.allowed) return;
  if (decision.error !== undefined)
    throw new PlainFailure(500, `Internal Server Error: ${goQuote(action.path)}: ${decision.error}\n`);
  throw forbiddenAction(action, decision.reason);
}

/** Rejects requests that the user isn't allowed to make. */
export function authorization(authorizer: Authorizer): Filter {
  return async (context, next) => {
    await authorize(authorizer, requestAttributes(context.user, context.info), context.audit);
    return next(context);
  };
}

/** Creates the 403 that filters respond with. */
export function forbiddenAction(action: AuthorizationAttributes, reason: string): ApiFailure {
  return withNosniff(forbiddenTo(action, reason));
}

/** Adds the header that kube-apiserver's filters, but not its handlers, set on a 403. */
function withNosniff(refused: ApiFailure): ApiFailure {
  refused.headers.push(["X-Content-Type-Options", "nosniff"]);
  return refused;
}
