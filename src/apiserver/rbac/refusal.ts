import { whenReady } from "../../internal/when-ready.js";
import type { ApiFailure } from "../errors/status.js";
import { failure } from "../errors/status.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import type { AuthorizationAttributes } from "./attributes.js";
import { requestAttributes } from "./attributes.js";
import type { Authorizer } from "./authorizer.js";

/** Throws 403 if an update would create the object and the user isn't allowed to create it. */
export function authorizeCreation(
  authorizer: Authorizer,
  { user, info }: { readonly user: UserInfo; readonly info: RequestInfo },
): void | Promise<void> {
  const action = requestAttributes(user, { ...info, verb: "create" });
  return whenReady(authorizer.authorize(action), (decision) => {
    if (!decision.allowed) throw forbiddenTo(action, decision.reason);
  });
}

/** Creates the 403 for a denied action. */
export function forbiddenTo(action: AuthorizationAttributes, reason: string): ApiFailure {
  const because = reason === "" ? "" : `: ${reason}`;
  const user = `User ${JSON.stringify(action.user.name)} cannot`;
  if (!action.isResource)
    return failure(
      403,
      "Forbidden",
      `forbidden: ${user} ${action.verb} path ${JSON.stringify(action.path)}${because}`,
      {},
    );
  const resource = action.subresource === "" ? action.resource : `${action.resource}/${action.subresource}`;
  const where =
    action.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(action.namespace)}`;
  const qualified = action.group === "" ? action.resource : `${action.resource}.${action.group}`;
  const subject = action.name === "" ? qualified : `${qualified} ${JSON.stringify(action.name)}`;
  return failure(
    403,
    "Forbidden",
    `${subject} is forbidden: ${user} ${action.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(action.group)} ${where}${because}`,
    {
      ...(action.name === "" ? {} : { name: action.name }),
      ...(action.group === "" ? {} : { group: action.group }),
      kind: action.resource,
    },
  );
}
