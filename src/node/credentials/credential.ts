/** What proves to the server who is calling. Kept in closures and handed to the transport only. */
export interface Credential {
  /** Value of the `authorization` header. */
  readonly authorization?: string | undefined;
  /** Client certificate and its key as PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Who waits for a credential. */
export interface Caller {
  /** Ends the waiting; asked for only where there is some. */
  readonly signal: AbortSignal;
}

/** Keeps a credential current. */
export interface CredentialSource {
  /** The credential as of now, renewed if it has run out. Rejects with a `ConfigError` if there is none to be had. */
  current(caller: Caller): Credential | Promise<Credential>;
  /** After the server refused `rejected` with 401: a newer one, or `undefined` if there is none. */
  renew(rejected: Credential, caller: Caller): Promise<Credential | undefined>;
  /** Ends what is under way to get one. */
  close?(): void | Promise<void>;
}

/** A credential that never changes. */
export function staticCredential(credential: Credential): CredentialSource {
  return { current: () => credential, renew: () => Promise.resolve(undefined) };
}
