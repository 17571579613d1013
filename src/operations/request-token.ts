import type { Resource } from "../client/resource/resource.js";
import { ProtocolError } from "../errors/errors.js";
import type { CreateOptions } from "../meta/options.js";

/** What a token is to be good for. */
export interface TokenRequestOptions extends CreateOptions {
  /** Who may take it. Default: the API server. */
  readonly audiences?: readonly string[];
  /** Seconds it lives, at least 600; the server may choose otherwise. Default: the server's, an hour. */
  readonly expirationSeconds?: number;
  /** An object with whose end the token ends. */
  readonly boundTo?: { readonly kind: "Pod" | "Secret" | "Node"; readonly name: string; readonly uid?: string };
}

/** A token of a service account. */
export interface IssuedToken {
  /** The token; a secret. */
  readonly token: string;
  /** When it ends, RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Asks for a token of a service account. */
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
    throw new ProtocolError(`request a token of service account ${JSON.stringify(name)}: the answer has none`);
  return { token, expirationTimestamp };
}
