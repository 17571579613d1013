import type { UserInfo } from "../user-info.js";
import type { ServerRequest } from "../http.js";
import type { Authorizer } from "../rbac/authorizer.js";
import { resourceAttributes } from "../rbac/attributes.js";
import { badRequest } from "../status.js";
import { anonymous, AUTHENTICATED } from "./authentication.js";
import { forbiddenAction } from "./authorization.js";
import type { Filter } from "./filter.js";

const EXTRA = "impersonate-extra-";

/**
 * Who a request is for, if its headers ask for somebody else: throws 400 for groups, uid or extra without a user, and
 * 403 for what the requesting user may not impersonate.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export function impersonate(request: ServerRequest, requester: UserInfo, authorizer: Authorizer): UserInfo | undefined {
  const name = request.header("impersonate-user") ?? "";
  const groups = request.headerValues("impersonate-group");
  const uid = request.header("impersonate-uid") ?? "";
  const extra = readExtra(request);
  if (name === "") {
    if (groups.length === 0 && uid === "" && extra.size === 0) return undefined;
    throw badRequest(`requested ${goText(groups, uid, extra)} without impersonating a user name`);
  }

  const check = (resource: string, target: { group?: string; subresource?: string; namespace?: string; name: string }): void => {
    const asked = resourceAttributes(requester, "impersonate", { resource, ...target });
    const decision = authorizer.authorize(asked);
    if (!decision.allowed) throw forbiddenAction(asked, decision.reason);
  };
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  if (account === null) check("users", { name });
  else check("serviceaccounts", { namespace: account[1]!, name: account[2]! });
  for (const group of groups) check("groups", { name: group });
  for (const [key, values] of extra) for (const value of values) check("userextras", { group: "authentication.k8s.io", subresource: key, name: value });
  if (uid !== "") check("uids", { group: "authentication.k8s.io", name: uid });

  const all = groups.length === 0 && account !== null ? ["system:serviceaccounts", `system:serviceaccounts:${account[1]!}`] : [...groups];
  const unauthenticated = "system:unauthenticated";
  if (name === anonymous.name) {
    if (!all.includes(unauthenticated)) all.push(unauthenticated);
  } else if (!all.includes(AUTHENTICATED) && !all.includes(unauthenticated)) all.push(AUTHENTICATED);
  return { name, uid, groups: all, extra: Object.fromEntries(extra) };
}

/** Lets a request be for somebody else. */
export function impersonation(authorizer: Authorizer): Filter {
  return (context, next) => {
    const target = impersonate(context.request, context.user, authorizer);
    if (target !== undefined) {
      context.user = target;
      context.audit?.impersonated(target);
    }
    return next(context);
  };
}

function readExtra(request: ServerRequest): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const header of [...request.headerNames()].sort()) {
    if (!header.toLowerCase().startsWith(EXTRA)) continue;
    const encoded = header.slice(EXTRA.length).toLowerCase();
    let key = encoded;
    try {
      key = decodeURIComponent(encoded);
    } catch {
      // A key that is not validly encoded counts as it stands.
    }
    extra.set(key, [...(extra.get(key) ?? []), ...request.headerValues(header)]);
  }
  return extra;
}

/** What was asked for, as the server's text shows it. */
function goText(groups: readonly string[], uid: string, extra: ReadonlyMap<string, readonly string[]>): string {
  const list = (values: readonly string[]): string => `[]string{${values.map((value) => JSON.stringify(value)).join(", ")}}`;
  const entries = [...extra].map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const groupText = groups.length === 0 ? "[]string(nil)" : list(groups);
  const extraText = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
