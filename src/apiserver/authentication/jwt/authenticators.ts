import { ConfigError } from "../../../errors/errors.js";
import type { Clock } from "../../../internal/clock.js";
import type { TokenAuthenticator } from "../authenticators/authenticator.js";
import { createClaimMapper } from "./claims.js";
import type { AuthenticationConfiguration } from "./configuration.js";
import { configurationProblems } from "./configuration.js";
import type { IssuerFetch } from "./issuer-keys.js";
import { createIssuerKeys } from "./issuer-keys.js";
import { checkClaims, parseToken, verifySignature } from "./verify.js";

/**
 * Creates the authenticators of a configuration, one for each issuer. `name` identifies the configuration in errors.
 * Throws a `ConfigError` that lists every problem.
 */
export function jwtAuthenticators(
  configuration: AuthenticationConfiguration,
  name: string,
  services: { readonly clock: Clock; readonly fetch: IssuerFetch; readonly closed: AbortSignal },
): TokenAuthenticator[] {
  const problems = configurationProblems(configuration);
  if (problems.length > 0) throw new ConfigError(`${name}: ${problems.join("; ")}`);
  return (configuration.jwt ?? []).map((authenticator, index): TokenAuthenticator => {
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
