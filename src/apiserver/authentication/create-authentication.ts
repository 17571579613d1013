import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { lazyModule } from "../../internal/lazy-module.js";
import type { ServerRequest } from "../http/http.js";
import type { UserInfo } from "../http/user-info.js";
import type { WebhookCaller } from "../http/webhook-caller.js";
import type { BeforeRequests } from "../internal/start.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AuthenticatorFunction, TokenAuthenticator, TokenOutcome } from "./authenticators/authenticator.js";
import { AuthenticationError, authenticateToken } from "./authenticators/authenticator.js";
import { bootstrapTokens } from "./authenticators/bootstrap-tokens.js";
import { clientCertificate } from "./authenticators/client-certificate.js";
import { requestHeader } from "./authenticators/request-header.js";
import type { ServiceAccountTokens } from "./authenticators/service-account-tokens.js";
import { tokenWebhook } from "./authenticators/token-webhook.js";
import type { AuthenticationConfiguration } from "./jwt/configuration.js";
import { configurationProblems, parseAuthenticationConfiguration } from "./jwt/configuration.js";
import type { IssuerFetch } from "./jwt/issuer-keys.js";
import type { AuthenticationOptions } from "./options.js";

/** Authenticates requests and tokens. */
export interface Authentication {
  /** Authenticators that run before tokens are checked. */
  readonly beforeTokens: readonly AuthenticatorFunction[];
  /** Authenticators that run after tokens were checked. */
  readonly afterTokens: readonly AuthenticatorFunction[];
  /** Checks a token for one of the audiences. Default: those of the server. */
  token(token: string, audiences?: readonly string[]): Promise<TokenOutcome>;
  /** Audiences of the server. */
  readonly audiences: readonly string[];
  /** True if requests for a path need no credentials. */
  allowsAnonymous(path: string): boolean;
}

/** Services that authentication needs. */
export interface AuthenticationServices {
  readonly clock: Clock;
  readonly callWebhook: WebhookCaller;
  readonly closed: AbortSignal;
  readonly before: BeforeRequests;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Reads an object by bucket and key. */
  readonly stored: (bucket: string, key: string) => ApiObject | undefined;
}

/** Needs CEL. */
const jwt = lazyModule(() => import("./jwt/authenticators.js"));

const configurationOption = "authenticationConfiguration";
const systemNamespace = "kube-system";

const fetchIssuer: IssuerFetch = (url, { signal }) => fetch(url, { signal });

/** Creates the authentication of a server. Throws a `ConfigError` that names the invalid option. */
export function createAuthentication(options: AuthenticationOptions, services: AuthenticationServices): Authentication {
  const { clock, closed, serviceAccounts, stored } = services;
  const { requestHeader: proxy, clientCa, anonymousAuth, tokenWebhook: webhook } = options;
  requirePem(clientCa, "clientCa");
  requirePem(proxy?.clientCa, "requestHeader.clientCa");
  const configuration = configurationOf(options);
  if (configuration.anonymous !== undefined && anonymousAuth !== undefined)
    throw new ConfigError(`${configurationOption}.anonymous can't be combined with anonymousAuth`);
  if (webhook !== undefined && !URL.canParse(webhook.url))
    throw new ConfigError(`tokenWebhook.url: invalid URL ${JSON.stringify(webhook.url)}`);
  const audiences = [serviceAccounts.issuer];
  const fetch = options.issuerFetch ?? fetchIssuer;
  const tokens: readonly TokenAuthenticator[] = [
    forServer(audiences, staticTokens(options.tokens ?? new Map<string, UserInfo>())),
    accountTokens(serviceAccounts),
    ...(options.bootstrapTokens === true
      ? [
          forServer(
            audiences,
            bootstrapTokens(clock, (name) => stored("/secrets", `${systemNamespace}/${name}`)),
          ),
        ]
      : []),
    ...jwtAuthenticators(configuration, { clock, fetch, closed }, services.before).map((each) =>
      forServer(audiences, each),
    ),
    ...(webhook === undefined ? [] : [tokenWebhook(webhook, { ...services, audiences })]),
  ];
  return {
    beforeTokens: [
      ...(proxy === undefined ? [] : [requestHeader(proxy)]),
      ...(clientCa === undefined ? [] : [clientCertificate]),
    ],
    afterTokens: (options.authenticators ?? []).map(guarded),
    token: (token, wanted) => authenticateToken(token, tokens, wanted ?? audiences),
    audiences,
    allowsAnonymous: anonymousPaths(configuration.anonymous, anonymousAuth ?? true),
  };
}

function configurationOf({ authenticationConfiguration: given }: AuthenticationOptions): AuthenticationConfiguration {
  return typeof given === "string" ? parseAuthenticationConfiguration(given, configurationOption) : (given ?? {});
}

/** Creates an authenticator for each issuer. They work once `before` has compiled the expressions. */
function jwtAuthenticators(
  configuration: AuthenticationConfiguration,
  services: { readonly clock: Clock; readonly fetch: IssuerFetch; readonly closed: AbortSignal },
  before: BeforeRequests,
): TokenAuthenticator[] {
  const problems = configurationProblems(configuration);
  if (problems.length > 0) throw new ConfigError(`${configurationOption}: ${problems.join("; ")}`);
  const issuers = configuration.jwt ?? [];
  let compiled: readonly TokenAuthenticator[] = [];
  if (issuers.length > 0)
    before(
      (async () => {
        await jwt.load();
        compiled = jwt.get().jwtAuthenticators(issuers, configurationOption, services);
      })(),
    );
  return issuers.map((_, index) => (token, audiences) => compiled[index]!(token, audiences));
}

function requirePem(text: string | undefined, option: string): void {
  if (text !== undefined && !/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(text))
    throw new ConfigError(`${option}: expected a certificate in PEM`);
}

function anonymousPaths(
  configured: AuthenticationConfiguration["anonymous"],
  option: boolean | readonly string[],
): (path: string) => boolean {
  const paths =
    configured === undefined
      ? option
      : configured.enabled && (configured.conditions ?? []).length > 0
        ? configured.conditions!.map(({ path }) => path)
        : configured.enabled;
  return (path) => (typeof paths === "boolean" ? paths : paths.includes(path));
}

/** An exception of a test's own function means that the credentials are invalid. */
function guarded(authenticate: AuthenticatorFunction): AuthenticatorFunction {
  return async (request: ServerRequest) => {
    try {
      return await authenticate(request);
    } catch (error) {
      throw new AuthenticationError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
}

/** Limits tokens that aren't bound to audiences to those of the server. */
function forServer(own: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return async (token, wanted) => {
    const audiences = wanted.filter((audience) => own.includes(audience));
    const found = audiences.length === 0 ? undefined : await authenticate(token, audiences);
    return found && { ...found, audiences };
  };
}

function staticTokens(tokens: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  return (token) => {
    const user = tokens.get(token);
    return user && { user };
  };
}

function accountTokens(serviceAccounts: ServiceAccountTokens): TokenAuthenticator {
  return async (token, audiences) => {
    const checked = await serviceAccounts.check(token, audiences);
    if (checked === undefined) return undefined;
    if ("problem" in checked) throw new AuthenticationError(checked.problem);
    return checked;
  };
}
