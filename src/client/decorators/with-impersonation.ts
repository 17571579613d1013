import type { Client } from "../client.js";

/**
 * User to impersonate. The client's own user needs the `impersonate` permission.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export interface Impersonation {
  /** User name. The API requires it even if only groups matter. */
  readonly user: string;
  /** Groups of the user. */
  readonly groups?: readonly string[] | undefined;
  /** UID of the user. */
  readonly uid?: string | undefined;
  /** Extra attributes of the user: a list of values for each key. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Returns a client that acts as another user. Throws a `TypeError` if the user name is empty or a value can't be sent
 * in a header.
 *
 * @example
 * ```ts
 * import { withImpersonation } from "kubestream";
 * import { Secret } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const asViewer = withImpersonation(client, { user: "jane", groups: ["viewers"] });
 * await asViewer.resource(Secret).namespace("web").list(); // Rejects with 403 if viewers can't list secrets.
 * ```
 */
export function withImpersonation<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
  as: Impersonation,
): Client<FieldManager> {
  return client.derive(impersonationHeaders(as));
}

/** Returns the headers that impersonate a user. Throws a `TypeError` like `withImpersonation`. */
export function impersonationHeaders(as: Impersonation): {
  readonly headers: Readonly<Record<string, string>>;
  readonly multiHeaders: Readonly<Record<string, readonly string[]>>;
} {
  if (typeof as.user !== "string" || as.user === "")
    throw new TypeError("impersonation: user must be a non-empty string");
  const multiHeaders: Record<string, readonly string[]> = {};
  if (as.groups && as.groups.length > 0) multiHeaders["impersonate-group"] = as.groups;
  for (const [key, values] of Object.entries(as.extra ?? {}))
    multiHeaders[`impersonate-extra-${escapeKey(key)}`] = values;
  return {
    headers: { "impersonate-user": as.user, ...(as.uid !== undefined && { "impersonate-uid": as.uid }) },
    multiHeaders,
  };
}

/**
 * Percent-encodes characters that a header name can't contain. The server decodes the key and converts it to lower
 * case.
 */
function escapeKey(key: string): string {
  if (key === "") throw new TypeError("impersonation: keys of extra must not be empty");
  return key.toLowerCase().replace(/[^!#$&'*+.^_`|~0-9a-z-]/gu, (char) => {
    if (/[\uD800-\uDFFF]/u.test(char)) throw new TypeError("impersonation: a key of extra is not well-formed Unicode");
    // encodeURIComponent leaves parentheses, which header names can't contain.
    return encodeURIComponent(char)
      .replace(/[()]/g, (bracket) => `%${bracket.charCodeAt(0).toString(16)}`)
      .toLowerCase();
  });
}
