import type { AuditTrail } from "../audit/event.js";
import type { RequestContext } from "../core.js";
import type { ApiFailure } from "../errors/status.js";
import { failure } from "../errors/status.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { requestAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { Filter } from "./filter.js";

/** Throws 403 for what the user may not do. Notes the decision in the audit log. */
export function authorize(authorizer: Authorizer, asked: AuthorizationAttributes, audit?: AuditTrail): void {
  const decision = authorizer.authorize(asked);
  audit?.annotate("authorization.k8s.io/decision", decision.allowed ? "allow" : "forbid");
  audit?.annotate("authorization.k8s.io/reason", decision.reason);
  if (!decision.allowed) throw forbiddenAction(asked, decision.reason);
}

/** Lets through what the user may do. */
export function authorization(authorizer: Authorizer): Filter {
  return (context, next) => {
    authorize(authorizer, requestAttributes(context.user, context.info), context.audit);
    return next(context);
  };
}

/** 403 of an action, as filters answer it. */
export function forbiddenAction(asked: AuthorizationAttributes, reason: string): ApiFailure {
  return unsniffed(forbiddenTo(asked, reason));
}

/** Throws 403 where an update would create the object and the user may not create it. */
export function authorizeCreation(authorizer: Authorizer, { user, info }: RequestContext): void {
  const asked = requestAttributes(user, { ...info, verb: "create" });
  const decision = authorizer.authorize(asked);
  if (!decision.allowed) throw forbiddenTo(asked, decision.reason);
}

/** Why a user may not do something, in the words of the API; `undefined` where it is allowed. */
export function refusal(authorizer: Authorizer, asked: AuthorizationAttributes): string | undefined {
  const decision = authorizer.authorize(asked);
  return decision.allowed ? undefined : forbiddenTo(asked, decision.reason).message;
}

/** 403 of an action, in the words of the API. */
function forbiddenTo(asked: AuthorizationAttributes, reason: string): ApiFailure {
  const because = reason === "" ? "" : `: ${reason}`;
  const user = `User ${JSON.stringify(asked.user.name)} cannot`;
  if (!asked.isResource)
    return failure(
      403,
      "Forbidden",
      `forbidden: ${user} ${asked.verb} path ${JSON.stringify(asked.path)}${because}`,
      {},
    );
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const where = asked.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(asked.namespace)}`;
  const qualified = asked.group === "" ? asked.resource : `${asked.resource}.${asked.group}`;
  const subject = asked.name === "" ? qualified : `${qualified} ${JSON.stringify(asked.name)}`;
  return failure(
    403,
    "Forbidden",
    `${subject} is forbidden: ${user} ${asked.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(asked.group)} ${where}${because}`,
    {
      ...(asked.name === "" ? {} : { name: asked.name }),
      ...(asked.group === "" ? {} : { group: asked.group }),
      kind: asked.resource,
    },
  );
}

/** What filters refuse carries this header; what is refused behind them does not. */
function unsniffed(refused: ApiFailure): ApiFailure {
  refused.headers.push(["X-Content-Type-Options", "nosniff"]);
  return refused;
}
