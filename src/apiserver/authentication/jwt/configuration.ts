import { ConfigError } from "../../../errors/errors.js";
import { pushAll } from "../../../internal/push-all.js";
import { trimEnd } from "../../../internal/trim-end.js";
import { parseYaml } from "../../../internal/yaml/yaml.js";
import { isJsonObject } from "../../internal/json-value.js";

/** Issuer of JSON Web Tokens. */
export interface TokenIssuer {
  /** Issuer in the claim `iss`; an HTTPS URL. */
  readonly url: string;
  /** URL of the discovery document, if it isn't at `url` with the path `/.well-known/openid-configuration`. */
  readonly discoveryURL?: string | undefined;
  /** CA certificate of the issuer, in PEM. Default: the system's authorities. */
  readonly certificateAuthority?: string | undefined;
  /** Audiences; the claim `aud` must contain at least one of them. */
  readonly audiences: readonly string[];
  /** `MatchAny`. Required for more than one audience. */
  readonly audienceMatchPolicy?: "MatchAny" | undefined;
}

/** Claim with a prefix, or a CEL expression over `claims`. */
export interface PrefixedClaimOrExpression {
  /** Name of a claim. */
  readonly claim?: string | undefined;
  /** Text to put before the claim; `""` for none. Required with `claim`. */
  readonly prefix?: string | undefined;
  /** CEL expression. */
  readonly expression?: string | undefined;
}

/** Origin of the attributes of a user. */
export interface ClaimMappings {
  /** User name. */
  readonly username: PrefixedClaimOrExpression;
  /** Groups. */
  readonly groups?: PrefixedClaimOrExpression | undefined;
  /** UID. */
  readonly uid?: { readonly claim?: string | undefined; readonly expression?: string | undefined } | undefined;
  /** Additional attributes. Keys need a domain, such as `example.com/tenant`. */
  readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[] | undefined;
}

/** Rule that the claims of a token must satisfy: a claim with a value, or a CEL expression over `claims`. */
export interface ClaimValidationRule {
  /** Name of a claim. */
  readonly claim?: string | undefined;
  /** Value of the claim. */
  readonly requiredValue?: string | undefined;
  /** CEL expression that must be true. */
  readonly expression?: string | undefined;
  /** Error if the expression isn't true. */
  readonly message?: string | undefined;
}

/** Rule that the user must satisfy. */
export interface UserValidationRule {
  /** CEL expression over `user` that must be true. */
  readonly expression: string;
  /** Error if the expression isn't true. */
  readonly message?: string | undefined;
}

/** Authenticator of the tokens of one issuer. */
export interface JwtAuthenticator {
  /** Issuer of the tokens: its URL, audiences and keys. */
  readonly issuer: TokenIssuer;
  /** Rules that the claims must satisfy. A token that breaks one is rejected. Default: none. */
  readonly claimValidationRules?: readonly ClaimValidationRule[] | undefined;
  /** Origin of the attributes of the user. */
  readonly claimMappings: ClaimMappings;
  /** Rules that the mapped user must satisfy, as CEL expressions over `user`. A token that breaks one is rejected. Default: none. */
  readonly userValidationRules?: readonly UserValidationRule[] | undefined;
}

/**
 * Authentication settings, as in a file for kube-apiserver's `--authentication-config`.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#using-authentication-configuration
 */
export interface AuthenticationConfiguration {
  /** Group and version: `apiserver.config.k8s.io/v1`. */
  readonly apiVersion?: string | undefined;
  /** `AuthenticationConfiguration`. */
  readonly kind?: string | undefined;
  /** Token issuers, by which tokens are accepted. */
  readonly jwt?: readonly JwtAuthenticator[] | undefined;
  /** Requests without credentials. Replaces `anonymousAuth`. */
  readonly anonymous?:
    | {
        /** True to accept them. */
        readonly enabled: boolean;
        /** Paths to accept them for. Default: all. */
        readonly conditions?: readonly { readonly path: string }[] | undefined;
      }
    | undefined;
}

const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`);

/** Parses a configuration, as YAML or JSON. Throws a `ConfigError`. */
export function parseAuthenticationConfiguration(text: string, name: string): AuthenticationConfiguration {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new ConfigError(`${name}: not valid YAML`, { cause: error });
  }
  if (
    !isJsonObject(value) ||
    value["kind"] !== "AuthenticationConfiguration" ||
    !versions.includes(String(value["apiVersion"]))
  )
    throw new ConfigError(`${name}: expected an AuthenticationConfiguration of ${versions[0]!}`);
  return value;
}

/** Returns the problems of a configuration, except those of CEL expressions. */
export function configurationProblems({ jwt = [], anonymous }: AuthenticationConfiguration): string[] {
  const problems: string[] = [];
  if (jwt.length > 64) problems.push("jwt: at most 64 authenticators are allowed");
  const [urls, discoveries] = [new Set<string>(), new Set<string>()];
  jwt.forEach((authenticator, index) => {
    const at = `jwt[${index}]`;
    const { url, discoveryURL } = authenticator.issuer ?? {};
    pushAll(problems, issuerProblems(authenticator.issuer, `${at}.issuer`));
    pushAll(problems, ruleProblems(authenticator.claimValidationRules ?? [], `${at}.claimValidationRules`));
    pushAll(problems, mappingProblems(authenticator.claimMappings ?? {}, `${at}.claimMappings`));
    if (urls.has(url)) problems.push(`${at}.issuer.url: duplicate issuer ${url}`);
    urls.add(url);
    if (discoveryURL === undefined) return;
    if (discoveries.has(discoveryURL)) problems.push(`${at}.issuer.discoveryURL: duplicate URL ${discoveryURL}`);
    discoveries.add(discoveryURL);
  });
  if (anonymous?.enabled === false && (anonymous.conditions ?? []).length > 0)
    problems.push("anonymous.conditions: enabled must be true when conditions are set");
  return problems;
}

function urlProblems(text: string, at: string): string[] {
  if (!URL.canParse(text)) return [`${at}: invalid URL ${JSON.stringify(text)}`];
  const { protocol, username, password, search, hash } = new URL(text);
  return [
    ...(protocol === "https:" ? [] : [`${at}: the scheme must be https`]),
    ...(username + password === "" ? [] : [`${at}: must not contain a user name or password`]),
    ...(search === "" ? [] : [`${at}: must not contain a query`]),
    ...(hash === "" ? [] : [`${at}: must not contain a fragment`]),
  ];
}

function issuerProblems(issuer: Partial<TokenIssuer> | undefined, at: string): string[] {
  const { url = "", discoveryURL, audiences = [], audienceMatchPolicy } = issuer ?? {};
  const problems = url === "" ? [`${at}.url is required`] : urlProblems(url, `${at}.url`);
  if (discoveryURL !== undefined) {
    if (trimEnd(discoveryURL, "/") === trimEnd(url, "/")) problems.push(`${at}.discoveryURL must differ from url`);
    pushAll(problems, urlProblems(discoveryURL, `${at}.discoveryURL`));
  }
  if (audiences.length === 0) problems.push(`${at}.audiences: at least one audience is required`);
  const known = new Set<string>();
  audiences.forEach((audience, index) => {
    if (audience === "") problems.push(`${at}.audiences[${index}] is required`);
    else if (known.has(audience)) problems.push(`${at}.audiences[${index}]: duplicate audience ${audience}`);
    known.add(audience);
  });
  if (
    (audiences.length > 1 && audienceMatchPolicy !== "MatchAny") ||
    (audienceMatchPolicy !== undefined && audienceMatchPolicy !== "MatchAny")
  )
    problems.push(`${at}.audienceMatchPolicy must be MatchAny`);
  return problems;
}

function ruleProblems(rules: readonly ClaimValidationRule[], at: string): string[] {
  const claims = new Set<string>();
  return rules.flatMap(({ claim = "", requiredValue, expression = "", message }, index) => {
    const place = `${at}[${index}]`;
    if (claim !== "" && expression !== "") return [`${place}: claim and expression can't both be set`];
    if (claim === "" && expression === "") return [`${place}: claim or expression is required`];
    if (expression !== "")
      return requiredValue === undefined ? [] : [`${place}.requiredValue may not be set with expression`];
    const problems = message === undefined ? [] : [`${place}.message may not be set with claim`];
    if (claims.has(claim)) problems.push(`${place}.claim: duplicate claim ${claim}`);
    claims.add(claim);
    return problems;
  });
}

function mappingProblems({ username, groups, uid, extra = [] }: Partial<ClaimMappings>, at: string): string[] {
  const problems = [
    ...prefixedProblems(username, `${at}.username`, true),
    ...prefixedProblems(groups, `${at}.groups`, false),
  ];
  if ((uid?.claim ?? "") !== "" && (uid?.expression ?? "") !== "")
    problems.push(`${at}.uid: claim and expression can't both be set`);
  const keys = new Set<string>();
  (extra as readonly Partial<{ key: string; valueExpression: string }>[]).forEach(
    ({ key = "", valueExpression = "" }, index) => {
      const place = `${at}.extra[${index}]`;
      if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[^\s]+$/.test(key) || key !== key.toLowerCase())
        problems.push(`${place}.key must be in lower case and have a domain, such as example.com/tenant`);
      if (/(^|\.)(k8s|kubernetes)\.io\//.test(key))
        problems.push(`${place}.key: the domain is reserved for Kubernetes`);
      if (keys.has(key)) problems.push(`${place}.key: duplicate key ${key}`);
      keys.add(key);
      if (valueExpression === "") problems.push(`${place}.valueExpression is required`);
    },
  );
  return problems;
}

function prefixedProblems(mapping: PrefixedClaimOrExpression | undefined, at: string, required: boolean): string[] {
  const { claim = "", expression = "", prefix } = mapping ?? {};
  if (claim !== "" && expression !== "") return [`${at}: claim and expression can't both be set`];
  if (claim === "" && expression === "") return required ? [`${at}: claim or expression is required`] : [];
  if (expression !== "") return prefix === undefined ? [] : [`${at}.prefix may not be set with expression`];
  return prefix === undefined ? [`${at}.prefix is required with claim; it can be empty`] : [];
}
