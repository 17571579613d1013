/** Who sends a request. */
export interface UserInfo {
  /** Name; a service account's is `system:serviceaccount:NAMESPACE:NAME`. */
  readonly name: string;
  /** Identity over time; `""` where there is none. */
  readonly uid: string;
  /** Groups, by which most rights are given. */
  readonly groups: readonly string[];
  /** What else is known of the user. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Finds whose token it is; `undefined` if it is nobody's. */
export type TokenAuthenticator = (token: string) => UserInfo | undefined | Promise<UserInfo | undefined>;
