import { ApiFailure, badRequest } from "../errors/status.js";
import type { ServerRequest } from "../http/http.js";
import type { UserInfo } from "../http/user-info.js";
import { goQuote } from "../internal/go-text.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { mastersGroup, requestAttributes, resourceAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";
import { anonymous, authenticatedGroup } from "./authentication.js";
import { forbiddenAction } from "./authorization.js";
import type { Filter } from "./filter.js";

const authenticationGroup = "authentication.k8s.io";
const extraPrefix = "impersonate-extra-";

/** A mode of impersonation; one that allows the request is enough. */
interface Mode {
  /** Suffix of the verb; `""` for the unconstrained verb, which allows every action as the other user. */
  readonly name: "" | "associated-node" | "arbitrary-node" | "serviceaccount" | "user-info";
  /** True if the mode applies to the wanted user. */
  takes(wanted: UserInfo, requester: UserInfo): boolean;
}

const serviceAccountPattern =
  /^system:serviceaccount:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?):([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/;
const nodePattern = /^system:node:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)$/;
const nodeKey = "authentication.kubernetes.io/node-name";
const many = 4;
const mostRemembered = 10_000;

const bare = ({ uid, groups, extra }: UserInfo): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;

const modes: readonly Mode[] = [
  {
    name: "associated-node",
    takes: (wanted, requester) =>
      bare(wanted) &&
      serviceAccountPattern.test(requester.name) &&
      nodePattern.exec(wanted.name)?.[1] !== undefined &&
      requester.extra[nodeKey]?.join() === nodePattern.exec(wanted.name)![1],
  },
  { name: "arbitrary-node", takes: (wanted) => bare(wanted) && nodePattern.test(wanted.name) },
  { name: "serviceaccount", takes: (wanted) => bare(wanted) && serviceAccountPattern.test(wanted.name) },
  { name: "user-info", takes: ({ name }) => !nodePattern.test(name) && !serviceAccountPattern.test(name) },
  { name: "", takes: () => true },
];

/**
 * Returns the user that the headers ask to impersonate, or `undefined` without such headers. Throws 400 for groups, uid
 * or extra without a user, and 403 if impersonation isn't allowed. `action` is the request to make as the other user.
 * `lastModes` remembers the mode that last succeeded per user: it is tried first, and its error is reported.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export async function impersonate(
  request: ServerRequest,
  action: AuthorizationAttributes,
  authorizer: Authorizer,
  lastModes: Map<string, Mode> = new Map<string, Mode>(),
): Promise<UserInfo | undefined> {
  const name = request.header("impersonate-user") ?? "";
  const groups = request.headerValues("impersonate-group");
  const uid = request.header("impersonate-uid") ?? "";
  const extra = readExtra(request);
  if (name === "") {
    if (groups.length === 0 && uid === "" && extra.size === 0) return undefined;
    const refused = badRequest("requested groups, a UID or extra without impersonating a user name");
    refused.headers.push(["X-Content-Type-Options", "nosniff"]);
    throw refused;
  }
  const wanted: UserInfo = { name, uid, groups, extra: Object.fromEntries(extra) };
  let first: unknown;
  const last = lastModes.get(action.user.name);
  for (const mode of last === undefined ? modes : [last, ...modes.filter((each) => each !== last)]) {
    if (!mode.takes(wanted, action.user)) continue;
    try {
      const user = await inMode(mode, wanted, action, authorizer);
      remember(lastModes, action.user.name, mode);
      return user;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      first ??= error;
    }
  }
  throw first;
}

function remember(lastModes: Map<string, Mode>, user: string, mode: Mode): void {
  if (lastModes.size >= mostRemembered && !lastModes.has(user)) lastModes.delete(lastModes.keys().next().value!);
  lastModes.set(user, mode);
}

/** Returns the user as constrained by one mode. Throws 403. */
async function inMode(
  { name: mode }: Mode,
  wanted: UserInfo,
  action: AuthorizationAttributes,
  authorizer: Authorizer,
): Promise<UserInfo> {
  const constrained = mode !== "";
  const check = async (attributes: AuthorizationAttributes): Promise<void> => {
    const decision = await authorizer.authorize(attributes);
    if (!decision.allowed) throw forbiddenAction(attributes, decision.reason);
  };
  if (constrained) await check({ ...action, verb: `impersonate-on:${mode}:${action.verb}` });
  const verb = constrained ? `impersonate:${mode}` : "impersonate";
  const target = (
    group: string,
    resource: string,
    more: { subresource?: string; namespace?: string; name?: string },
  ): AuthorizationAttributes => resourceAttributes(action.user, verb, { group, version: "v1", resource, ...more });
  // Constrained impersonation checks users and groups in this API group; the legacy verb uses the core group.
  const own = constrained ? authenticationGroup : "";
  const account = serviceAccountPattern.exec(wanted.name);
  const node = constrained ? nodePattern.exec(wanted.name) : null;
  if (node !== null) await check(target(own, "nodes", { name: mode === "associated-node" ? "*" : node[1]! }));
  else if (account !== null) await check(target(own, "serviceaccounts", { namespace: account[1]!, name: account[2]! }));
  else await check(target(own, "users", { name: wanted.name }));
  if (wanted.uid !== "") await check(target(authenticationGroup, "uids", { name: wanted.uid }));
  await checkGroups(wanted.groups, constrained, (name) => target(own, "groups", { name }), check);
  await checkExtra(
    wanted.extra,
    constrained,
    (subresource, name) => target(authenticationGroup, "userextras", { subresource, name }),
    check,
  );
  const groups =
    node !== null
      ? ["system:nodes"]
      : wanted.groups.length === 0 && account !== null
        ? ["system:serviceaccounts", `system:serviceaccounts:${account[1]!}`]
        : [...wanted.groups];
  const unauthenticated = "system:unauthenticated";
  if (wanted.name === anonymous.name) {
    if (!groups.includes(unauthenticated)) groups.push(unauthenticated);
  } else if (!groups.includes(authenticatedGroup) && !groups.includes(unauthenticated)) groups.push(authenticatedGroup);
  return { ...wanted, groups };
}

type Check = (attributes: AuthorizationAttributes) => Promise<void>;

/** Checks the wildcard first, so that a user with it needs no check per value. */
async function allowed(check: Check, attributes: AuthorizationAttributes): Promise<boolean> {
  try {
    await check(attributes);
    return true;
  } catch (error) {
    if (error instanceof ApiFailure) return false;
    throw error;
  }
}

async function checkGroups(
  groups: readonly string[],
  constrained: boolean,
  target: (name: string) => AuthorizationAttributes,
  check: Check,
): Promise<void> {
  if (constrained && groups.includes(""))
    throw forbiddenAction(target(""), "impersonating the empty string group is not allowed");
  if (constrained && groups.includes(mastersGroup))
    throw forbiddenAction(target(mastersGroup), `impersonating the ${mastersGroup} group is not allowed`);
  if (constrained && groups.length >= many && (await allowed(check, target("*")))) return;
  for (const group of groups) await check(target(group));
}

async function checkExtra(
  extra: UserInfo["extra"],
  constrained: boolean,
  target: (key: string, value: string) => AuthorizationAttributes,
  check: Check,
): Promise<void> {
  const pairs = Object.entries(extra).flatMap(([key, values]) => values.map((value) => [key, value] as const));
  if (constrained) {
    for (const [key, value] of pairs) {
      if (key === "")
        throw forbiddenAction(target("", ""), "impersonating the empty string key in extra is not allowed");
      if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/./.test(key))
        throw forbiddenAction(
          target("", ""),
          `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${goQuote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`,
        );
      if (value === "")
        throw forbiddenAction(target("", ""), "impersonating the empty string value in extra is not allowed");
    }
    if ((pairs.length >= many || Object.keys(extra).length >= many) && (await allowed(check, target("*", "*")))) return;
  }
  for (const [key, value] of pairs) await check(target(key, value));
}

/** Replaces the user of requests with impersonation headers. */
export function impersonation(authorizer: Authorizer): Filter {
  const lastModes = new Map<string, Mode>();
  return async (context, next) => {
    const action = requestAttributes(context.user, context.info);
    const target = await impersonate(context.request, action, authorizer, lastModes);
    if (target !== undefined) {
      const mode = lastModes.get(context.user.name)?.name ?? "";
      context.user = target;
      context.audit?.impersonated(target, mode === "" ? "" : `impersonate:${mode}`);
    }
    return next(context);
  };
}

function readExtra(request: ServerRequest): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const header of [...request.headerNames()].sort()) {
    if (!header.toLowerCase().startsWith(extraPrefix)) continue;
    const encoded = header.slice(extraPrefix.length).toLowerCase();
    let key = encoded;
    try {
      key = decodeURIComponent(encoded);
    } catch {
      // A key with an invalid encoding is used unchanged.
    }
    extra.set(key, [...(extra.get(key) ?? []), ...request.headerValues(header)]);
  }
  return extra;
}
