import type { Resource } from "../client/resource/resource.js";
import { ProtocolError } from "../errors/errors.js";
import type { CreateOptions } from "../meta/options.js";

/** Options for `requestToken`. */
export interface TokenRequestOptions extends CreateOptions {
  /** Intended audiences of the token. Default: the API server. */
  readonly audiences?: readonly string[] | undefined;
  /** Lifetime in seconds, at least 600. The server may choose another. Default: the server's, one hour. */
  readonly expirationSeconds?: number | undefined;
  /** Object to which the token is bound. The token becomes invalid when the object is deleted. */
  readonly boundTo?:
    | { readonly kind: "Pod" | "Secret" | "Node"; readonly name: string; readonly uid?: string | undefined }
    | undefined;
}

/** A service account token. */
export interface IssuedToken {
  /** Token. Treat it as a secret. */
  readonly token: string;
  /** Expiration time, RFC 3339. */
  readonly expirationTimestamp: string;
}

/**
 * Requests a token for a service account. Throws a `ProtocolError` if the response contains no token.
 *
 * @example
 * ```ts
 * import { ServiceAccount } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { requestToken } from "kubestream/operations";
 *
 * const client = await connect();
 * const accounts = client.resource(ServiceAccount).namespace("web");
 * const { token, expirationTimestamp } = await requestToken(accounts, "builder", { expirationSeconds: 600 });
 * console.log(token.length, expirationTimestamp);
 * ```
 */
export async function requestToken<T, Sub extends { token: unknown }>(
  accounts: Resource<T, Sub>,
  name: string,
  options: TokenRequestOptions = {},
): Promise<IssuedToken> {
  const { audiences, expirationSeconds, boundTo, ...create } = options;
  const answer = (await accounts.subresource("token").create(
    name,
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        audiences: audiences ?? [],
        ...(expirationSeconds !== undefined && { expirationSeconds }),
        ...(boundTo && { boundObjectRef: { apiVersion: "v1", ...boundTo } }),
      },
    } as never,
    create,
  )) as { status?: Partial<IssuedToken> };
  const { token, expirationTimestamp } = answer.status ?? {};
  if (token === undefined || expirationTimestamp === undefined)
    throw new ProtocolError(
      `request token for service account ${JSON.stringify(name)}: the response doesn't contain a token`,
    );
  return { token, expirationTimestamp };
}
