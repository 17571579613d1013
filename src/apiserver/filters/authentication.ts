import { ConfigError } from "../../errors/errors.js";
import { failure } from "../errors/status.js";
import type { ServerRequest } from "../http/http.js";
import type { TokenAuthenticator, UserInfo } from "../http/user-info.js";
import { protocolToken } from "../wire/websocket.js";
import type { Filter } from "./filter.js";

/** Who sends requests without a token. */
export const anonymous: UserInfo = { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} };

/** The group that every user with valid credentials is in. */
export const AUTHENTICATED = "system:authenticated";

/** The same user as a member of `system:authenticated`. */
export function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

/**
 * Tells who sends a request. Schemes other than Bearer count as no credentials. Throws 401 for a token that is nobody's.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/
 */
export async function authenticate(
  request: ServerRequest,
  authenticators: readonly TokenAuthenticator[],
): Promise<Authenticated> {
  const token = bearerToken(request.header("authorization"));
  const user = token === undefined ? undefined : await findUser(token, authenticators);
  if (user !== undefined) return { user };
  const other = protocolToken(request);
  if (typeof other === "object") {
    const its = await findUser(other.token, authenticators);
    if (its !== undefined) return { user: its, subprotocols: other.others };
  }
  if (token !== undefined || other !== undefined) throw failure(401, "Unauthorized", "Unauthorized");
  return { user: anonymous };
}

/** Who sends a request, and what is left of its subprotocols where one of them told. */
export interface Authenticated {
  readonly user: UserInfo;
  readonly subprotocols?: readonly string[];
}

/** Whose token it is, as a member of `system:authenticated`. */
export async function findUser(
  token: string,
  authenticators: readonly TokenAuthenticator[],
): Promise<UserInfo | undefined> {
  for (const authenticator of authenticators) {
    const user = await authenticator(token);
    if (user !== undefined) return authenticated(user);
  }
  return undefined;
}

/** Finds out who is asking. */
export function authentication(authenticators: readonly TokenAuthenticator[]): Filter {
  return async (context, next) => {
    const { user, subprotocols } = await authenticate(context.request, authenticators);
    context.user = user;
    if (subprotocols !== undefined) context.subprotocols = subprotocols;
    if (/^bearer {2,}\S/i.test((context.request.header("authorization") ?? "").trim()))
      context.warn("the provided Authorization header contains extra space before the bearer token, and is ignored");
    return next(context);
  };
}

function bearerToken(header: string | undefined): string | undefined {
  const [scheme, token] = (header ?? "").trim().split(" ");
  return scheme?.toLowerCase() === "bearer" && token !== undefined && token !== "" ? token : undefined;
}

/**
 * Reads a token file as kube-apiserver's `--token-auth-file`: lines of token, user, uid and, optionally, one quoted
 * field of groups separated by commas. Throws a `ConfigError` that names the line, never the token.
 */
export function parseTokenFile(text: string, name: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.trimStart().startsWith("#")) return;
    const fields = csvFields(line);
    if (fields === undefined) throw new ConfigError(`token file ${name}, line ${index + 1}: quotes are not balanced`);
    const [token, user, uid, groups] = fields;
    if (uid === undefined)
      throw new ConfigError(
        `token file ${name}, line ${index + 1}: expected at least 3 columns (token, user name, user uid), found ${fields.length}`,
      );
    if (token === undefined || token === "" || user === undefined)
      throw new ConfigError(`token file ${name}, line ${index + 1}: the token is empty`);
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
