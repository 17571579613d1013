import type { Clock } from "../../../internal/clock.js";
import type { TokenAuthenticator } from "../authenticators/authenticator.js";
import { createClaimMapper } from "./claims.js";
import type { JwtAuthenticator } from "./configuration.js";
import type { IssuerFetch } from "./issuer-keys.js";
import { createIssuerKeys } from "./issuer-keys.js";
import { checkClaims, parseToken, verifySignature } from "./verify.js";

/**
 * Creates the authenticators of a checked configuration, one for each issuer. `name` identifies the configuration in
 * errors. Throws a `ConfigError` for an invalid expression.
 */
export function jwtAuthenticators(
  issuers: readonly JwtAuthenticator[],
  name: string,
  services: { readonly clock: Clock; readonly fetch: IssuerFetch; readonly closed: AbortSignal },
): TokenAuthenticator[] {
  return issuers.map((authenticator, index): TokenAuthenticator => {
    const { issuer } = authenticator;
    const toUser = createClaimMapper(authenticator, `${name}: jwt[${index}]`);
    const keys = createIssuerKeys(issuer, services);
    return async (token) => {
      const parsed = parseToken(token);
      if (parsed === undefined || parsed.claims["iss"] !== issuer.url) return undefined;
      await verifySignature(parsed, keys);
      checkClaims(parsed.claims, issuer.audiences, services.clock.now());
      return { user: toUser(parsed.claims) };
    };
  });
}
