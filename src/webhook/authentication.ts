import { ProtocolError } from "../errors/errors.js";
import type { AdmissionUser } from "./admission.js";

/** Token that the API server asks a webhook to authenticate. */
export interface TokenReviewRequest {
  /** Opaque bearer token. */
  token: string;
  /** Audiences that the API server serves. Absent for any audience. */
  audiences?: string[] | undefined;
}

/** Result of a token review, in wire format. */
export interface TokenReviewStatus {
  /** True if the token belongs to `user`. */
  authenticated: boolean;
  /** User that the token belongs to. */
  user?: AdmissionUser | undefined;
  /** Audiences of both the request and the token. */
  audiences?: string[] | undefined;
  /** Reason why the token couldn't be checked. */
  error?: string | undefined;
}

/**
 * Object that the API server exchanges with an authentication webhook.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 */
export interface TokenReview {
  /** `authentication.k8s.io/v1` or `authentication.k8s.io/v1beta1`. */
  apiVersion: string;
  /** Always `TokenReview`. */
  kind: "TokenReview";
  /** Request from the API server. */
  spec?: TokenReviewRequest | undefined;
  /** Response of the webhook. */
  status?: TokenReviewStatus | undefined;
}

/** User that a token belongs to. */
export interface AuthenticatedUser {
  /** Name of the user. */
  readonly username: string;
  /** Identifier that stays the same if the name changes. */
  readonly uid?: string | undefined;
  /** Names of the user's groups. */
  readonly groups?: readonly string[] | undefined;
  /** Additional information for authorizers. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Audiences of both the request and the token. Required if the request names audiences and the token is limited to some. */
  readonly audiences?: readonly string[] | undefined;
}

/**
 * Finds the user of a token. Return `undefined` for a token that isn't valid or isn't yours. An error that it throws is
 * reported to the API server with its message, so it must not contain the token.
 */
export type TokenHandler = (
  request: TokenReviewRequest,
) => AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined>;

/**
 * Handles a TokenReview and returns it with a status, for servers without the Fetch API; otherwise use
 * `authenticationWebhook`. The token isn't part of the result. Rejects with a `ProtocolError` if `review` isn't a
 * TokenReview, and with a `TypeError` if the handler returns anything but a user with a `username`.
 *
 * @example
 * ```ts
 * import { reviewToken } from "kubestream/webhook";
 *
 * export function handle(body: string): Promise<object> {
 *   return reviewToken(JSON.parse(body), ({ token }) =>
 *     token === "s3cret" ? { username: "jane", groups: ["developers"] } : undefined,
 *   );
 * }
 * ```
 */
export async function reviewToken(review: unknown, authenticate: TokenHandler): Promise<TokenReview> {
  const { apiVersion, request } = readTokenReview(review);
  const answer = (status: TokenReviewStatus): TokenReview => ({ apiVersion, kind: "TokenReview", status });
  let found: AuthenticatedUser | undefined;
  try {
    found = await authenticate(request);
  } catch (error) {
    return answer({ authenticated: false, error: withoutToken(error, request.token) });
  }
  if (found === undefined) return answer({ authenticated: false });
  const { username, uid, groups, extra, audiences } = checkUser(found);
  const user: AdmissionUser = {
    username,
    ...(uid !== undefined && { uid }),
    ...(groups && { groups: [...groups] }),
    ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
  return answer({ authenticated: true, user, ...(audiences && { audiences: [...audiences] }) });
}

/** Returns the message of an error. Error messages of libraries may quote their input. */
function withoutToken(error: unknown, token: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return token === "" ? message : message.replaceAll(token, "***");
}

/** Fails closed: a handler's slip such as `return true` must not authenticate a token. */
function checkUser(user: AuthenticatedUser): AuthenticatedUser {
  const given = user as { username?: unknown } | null;
  if (typeof given !== "object" || given === null || typeof given.username !== "string" || given.username === "")
    throw new TypeError("TokenReview: the handler must return undefined or a user with a `username`");
  return user;
}

/** Returns the request of a TokenReview. Throws a `ProtocolError` if it isn't one. */
export function readTokenReview(review: unknown): {
  readonly apiVersion: string;
  readonly request: TokenReviewRequest;
} {
  const { apiVersion, kind, spec } = (review ?? {}) as { apiVersion?: unknown; kind?: unknown; spec?: unknown };
  if (
    kind !== "TokenReview" ||
    (apiVersion !== "authentication.k8s.io/v1" && apiVersion !== "authentication.k8s.io/v1beta1")
  )
    throw new ProtocolError("expected TokenReview of authentication.k8s.io/v1");
  const { token, audiences } = (spec ?? {}) as { token?: unknown; audiences?: unknown };
  if (typeof token !== "string") throw new ProtocolError("TokenReview: spec.token is required");
  const valid = Array.isArray(audiences) && audiences.every((each) => typeof each === "string");
  if (audiences !== undefined && audiences !== null && !valid)
    throw new ProtocolError("TokenReview: spec.audiences must be a list of strings");
  return { apiVersion, request: { token, ...(valid && { audiences }) } };
}
