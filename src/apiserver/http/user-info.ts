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
