/** An authenticated user. */
export interface UserInfo {
  /** User name; for a service account `system:serviceaccount:NAMESPACE:NAME`. */
  readonly name: string;
  /** Identifier that survives renames; `""` if there isn't one. */
  readonly uid: string;
  /** Groups of the user. RBAC bindings usually refer to these. */
  readonly groups: readonly string[];
  /** Additional attributes from the authenticator. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Looks up the user of a bearer token; returns `undefined` for an unknown token. */
export type TokenAuthenticator = (token: string) => UserInfo | undefined | Promise<UserInfo | undefined>;
