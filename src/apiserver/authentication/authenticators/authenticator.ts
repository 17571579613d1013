import type { ServerRequest } from "../../http/http.js";
import type { UserInfo } from "../../http/user-info.js";

/** Maximum length of a reason in characters. Issuers and webhooks may send longer ones, which would stay in caches. */
const maxReason = 1_000;

/** Invalid credentials, with the reason. It is shown in a TokenReview and never in a response to the client. */
export class AuthenticationError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason.length > maxReason ? `${reason.slice(0, maxReason)}…` : reason, options);
  }
}

/** User of a valid token. */
export interface TokenUser {
  readonly user: UserInfo;
  /** Audiences that the token is valid for; `undefined` if it isn't restricted. */
  readonly audiences?: readonly string[] | undefined;
}

/**
 * Finds the user of a token. Returns `undefined` for a token of another kind; throws an `AuthenticationError` for an
 * invalid one. The token must be valid for one of the audiences.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
) => TokenUser | undefined | Promise<TokenUser | undefined>;

/**
 * Function that finds the user of a request. It returns `undefined` if the request has no credentials that it knows, and
 * throws for invalid ones.
 *
 * @example
 * ```ts
 * import { type AuthenticatorFunction, createApiServer } from "kubestream/apiserver";
 *
 * const byHeader: AuthenticatorFunction = (request) => {
 *   const name = request.header("x-test-user");
 *   return name === undefined ? undefined : { name, uid: "", groups: ["testers"], extra: {} };
 * };
 * const server = createApiServer({ authenticators: [byHeader] });
 * await server.close();
 * ```
 */
export type AuthenticatorFunction = (request: ServerRequest) => UserInfo | undefined | Promise<UserInfo | undefined>;

/** Result of all token authenticators: the user, or the errors of those that rejected the token. */
export type TokenOutcome =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly problems: readonly string[] };

/** Tries authenticators in order until one knows the token. `audiences` are those of the server. */
export async function authenticateToken(
  token: string,
  authenticators: readonly TokenAuthenticator[],
  audiences: readonly string[],
): Promise<TokenOutcome> {
  const problems: string[] = [];
  for (const authenticator of authenticators) {
    try {
      const found = await authenticator(token, audiences);
      if (found !== undefined) return { user: found.user, audiences: found.audiences ?? audiences };
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      problems.push(error.message);
    }
  }
  return { problems };
}
