/** Authenticates requests to the server. Stays in closures and is passed only to the transport. */
export interface Credential {
  /** Value of the `authorization` header. */
  readonly authorization?: string | undefined;
  /** Client certificate and its key, as PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Caller that waits for a credential. */
export interface Caller {
  /** Signal that stops waiting. It's only read if there is something to wait for. */
  readonly signal: AbortSignal;
}

/** Source of a credential that renews it as needed. */
export interface CredentialSource {
  /**
   * Returns the current credential, renewed if it has expired. Rejects with a `ConfigError` if it can't be obtained.
   */
  current(caller: Caller): Credential | Promise<Credential>;
  /** Returns a newer credential after the server refused `rejected` with 401, or `undefined` if it has no newer one. */
  renew(rejected: Credential, caller: Caller): Promise<Credential | undefined>;
  /** Aborts a fetch in progress. Resolves when it has ended. */
  close?(): void | Promise<void>;
}

/** Returns a source for a credential that never changes. */
export function staticCredential(credential: Credential): CredentialSource {
  return { current: () => credential, renew: () => Promise.resolve(undefined) };
}
