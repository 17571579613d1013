import type { ApiFailure } from "../errors/status.js";
import type { AuditTrail } from "../http/audit-trail.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { requestAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";
import { forbiddenTo } from "../rbac/refusal.js";
import type { Filter } from "./filter.js";

/** Throws 403 if the user isn't allowed to do this. Records the decision in the audit log. */
export function authorize(authorizer: Authorizer, action: AuthorizationAttributes, audit?: AuditTrail): void {
  const decision = authorizer.authorize(action);
  audit?.annotate("authorization.k8s.io/decision", decision.allowed ? "allow" : "forbid");
  audit?.annotate("authorization.k8s.io/reason", decision.reason);
  if (!decision.allowed) throw forbiddenAction(action, decision.reason);
}

/** Rejects requests that the user isn't allowed to make. */
export function authorization(authorizer: Authorizer): Filter {
  return (context, next) => {
    authorize(authorizer, requestAttributes(context.user, context.info), context.audit);
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
