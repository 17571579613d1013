import { ConfigError } from "../../errors/errors.js";
import type { AuthenticatorFunction } from "../authentication/authenticators/authenticator.js";
import { AuthenticationError } from "../authentication/authenticators/authenticator.js";
import type { Authentication } from "../authentication/create-authentication.js";
import { failure } from "../errors/status.js";
import { bearerToken } from "../http/bearer-token.js";
import type { ServerRequest } from "../http/http.js";
import type { UserInfo } from "../http/user-info.js";
import { protocolToken } from "../wire/websocket.js";
import type { Filter } from "./filter.js";

/** User of requests without a token. */
export const anonymous: UserInfo = { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} };

/** Group of every user with valid credentials. */
export const authenticatedGroup = "system:authenticated";

/** Adds a user to `system:authenticated`. */
export function authenticated(user: UserInfo): UserInfo {
  return user.name === anonymous.name ||
    user.groups.includes(authenticatedGroup) ||
    user.groups.includes("system:unauthenticated")
    ? user
    : { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** User of a request, and its remaining WebSocket subprotocols if one of them carried the token. */
export interface Authenticated {
  readonly user: UserInfo;
  readonly subprotocols?: readonly string[];
}

/**
 * Authenticates a request: by the identity of its connection, its bearer token, or a function. Schemes other than Bearer
 * are ignored, as if no credentials were sent. Throws 401 if credentials are invalid and no others are valid.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/
 */
export async function authenticate(request: ServerRequest, by: Authentication): Promise<Authenticated> {
  if (request.client?.user !== undefined) return { user: authenticated(request.client.user) };
  let invalid = false;
  const first = async (authenticators: readonly AuthenticatorFunction[]): Promise<UserInfo | undefined> => {
    for (const authenticator of authenticators) {
      try {
        const user = await authenticator(request);
        if (user !== undefined) return authenticated(user);
      } catch (error) {
        if (!(error instanceof AuthenticationError)) throw error;
        invalid = true;
      }
    }
    return undefined;
  };
  const byToken = async (token: string): Promise<UserInfo | undefined> => {
    const outcome = await by.token(token);
    return "user" in outcome ? authenticated(outcome.user) : undefined;
  };
  const known = by.beforeTokens.length === 0 ? undefined : await first(by.beforeTokens);
  if (known !== undefined) return { user: known };
  const token = bearerToken(request.header("authorization"));
  const user = token === undefined ? undefined : await byToken(token);
  if (user !== undefined) return { user };
  const other = protocolToken(request);
  if (typeof other === "object") {
    const its = await byToken(other.token);
    if (its !== undefined) return { user: its, subprotocols: other.others };
  }
  const last = by.afterTokens.length === 0 ? undefined : await first(by.afterTokens);
  if (last !== undefined) return { user: last };
  if (invalid || token !== undefined || other !== undefined) throw failure(401, "Unauthorized", "Unauthorized");
  return { user: anonymous };
}

/** Authenticates requests. Throws 401 for a request without credentials unless its path allows it. */
export function authentication(by: Authentication): Filter {
  return async (context, next) => {
    const { user, subprotocols } = await authenticate(context.request, by);
    if (user === anonymous && !by.allowsAnonymous(context.info.path))
      throw failure(401, "Unauthorized", "Unauthorized");
    context.user = user;
    if (subprotocols !== undefined) context.subprotocols = subprotocols;
    if (/^bearer {2,}\S/i.test((context.request.header("authorization") ?? "").trim()))
      context.warn("the provided Authorization header contains extra space before the bearer token, and is ignored");
    return next(context);
  };
}

/**
 * Parses a file for kube-apiserver's `--token-auth-file`: lines with token, user, uid and, optionally, a quoted field
 * of comma-separated groups. Throws a `ConfigError` that names the line but never the token.
 */
export function parseTokenFile(text: string, name: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.trimStart().startsWith("#")) return;
    const fields = csvFields(line);
    if (fields === undefined) throw new ConfigError(`token file ${name}, line ${index + 1}: unbalanced quotes`);
    const [token, user, uid, groups] = fields;
    if (uid === undefined)
      throw new ConfigError(
        `token file ${name}, line ${index + 1}: expected at least 3 columns (token, user, uid), found ${fields.length}`,
      );
    if (token === undefined || token === "" || user === undefined)
      throw new ConfigError(`token file ${name}, line ${index + 1}: token is empty`);
    const names = (groups ?? "")
      .split(",")
      .map((group) => group.trim())
      .filter((group) => group !== "");
    users.set(token, { name: user, uid, groups: names, extra: {} });
  });
  return users;
}

function csvFields(line: string): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === '"') {
      const end = /^"((?:[^"]|"")*)"/.exec(line.slice(at));
      if (end === null) return undefined;
      fields.push(end[1]!.replaceAll('""', '"'));
      at += end[0].length;
    } else {
      const comma = line.indexOf(",", at);
      fields.push(line.slice(at, comma < 0 ? line.length : comma).trim());
      at = comma < 0 ? line.length : comma;
    }
    if (at >= line.length) return fields;
    at += 1;
    while (line[at] === " ") at += 1;
  }
}
