import type { ApiFailure } from "../errors/status.js";
import { failure } from "../errors/status.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { AuthorizationAttributes } from "./attributes.js";
import { requestAttributes } from "./attributes.js";
import type { Authorizer } from "./authorizer.js";

/** Throws 403 where an update would create the object and the user may not create it. */
export function authorizeCreation(
  authorizer: Authorizer,
  { user, info }: { readonly user: UserInfo; readonly info: RequestInfo },
): void {
  const asked = requestAttributes(user, { ...info, verb: "create" });
  const decision = authorizer.authorize(asked);
  if (!decision.allowed) throw forbiddenTo(asked, decision.reason);
}

/** Returns the message of the refusal, or `undefined` where the action is allowed. */
export function refusal(authorizer: Authorizer, asked: AuthorizationAttributes): string | undefined {
  const decision = authorizer.authorize(asked);
  return decision.allowed ? undefined : forbiddenTo(asked, decision.reason).message;
}

/** Returns the 403 of a refused action. */
export function forbiddenTo(asked: AuthorizationAttributes, reason: string): ApiFailure {
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
