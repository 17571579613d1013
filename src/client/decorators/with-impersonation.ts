import type { Client } from "../client.js";

/**
 * Whom to act as. The client's own user must be allowed to.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export interface Impersonation {
  /** Name of the user; the API needs one even where only groups matter. */
  readonly user: string;
  /** Groups of the user. */
  readonly groups?: readonly string[];
  /** UID of the user. */
  readonly uid?: string;
  /** More about the user: a list of values for each key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A client that acts as somebody else. Throws a `TypeError` for an empty user and for text that no header can carry. */
export function withImpersonation<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
  as: Impersonation,
): Client<FieldManager> {
  return client.derive(impersonationHeaders(as));
}

/** The headers that impersonate. Throws a `TypeError` as `withImpersonation` does. */
export function impersonationHeaders(as: Impersonation): {
  readonly headers: Readonly<Record<string, string>>;
  readonly multiHeaders: Readonly<Record<string, readonly string[]>>;
} {
  if (typeof as.user !== "string" || as.user === "") throw new TypeError("impersonation needs the name of a user");
  const multiHeaders: Record<string, readonly string[]> = {};
  if (as.groups && as.groups.length > 0) multiHeaders["impersonate-group"] = as.groups;
  for (const [key, values] of Object.entries(as.extra ?? {}))
    multiHeaders[`impersonate-extra-${escapeKey(key)}`] = values;
  return {
    headers: { "impersonate-user": as.user, ...(as.uid !== undefined && { "impersonate-uid": as.uid }) },
    multiHeaders,
  };
}

/** What no header name can hold is escaped by percent signs, in UTF-8; the server undoes it and lower-cases. */
function escapeKey(key: string): string {
  if (key === "") throw new TypeError("a key of extra must not be empty");
  return key.toLowerCase().replace(/[^!#$&'*+.^_`|~0-9a-z-]/gu, (char) => {
    if (/[\uD800-\uDFFF]/u.test(char)) throw new TypeError("a key of extra is not well-formed Unicode");
    // Not encodeURIComponent alone: it leaves the brackets, which no header name can hold.
    return encodeURIComponent(char)
      .replace(/[()]/g, (bracket) => `%${bracket.charCodeAt(0).toString(16)}`)
      .toLowerCase();
  });
}
