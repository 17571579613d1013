import { ConfigError } from "../../errors/errors.js";
import { pushAll } from "../../internal/push-all.js";
import { parseYaml } from "../../internal/yaml/yaml.js";
import { parseDuration } from "../cel/values/time.js";
import { CelError } from "../cel/values/values.js";
import { isJsonObject } from "../internal/json-value.js";
import { nameErrors } from "../objects/validate-metadata.js";
import type { AuthorizationWebhook } from "./webhook.js";

/** Location of an authorization webhook. */
export interface WebhookConnection {
  /** `Url` for `url` below. `KubeConfigFile` works only on the command line, `InClusterConfig` nowhere. */
  readonly type: "Url" | "KubeConfigFile" | "InClusterConfig";
  /** Path of a kubeconfig. */
  readonly kubeConfigFile?: string | undefined;
  /** URL of the webhook. */
  readonly url?: string | undefined;
  /** CA certificate of the webhook: PEM in base64. Default: the system's authorities. */
  readonly caBundle?: string | undefined;
  /** Headers to send. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificate and private key of this server, in PEM. Default: none. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Webhook of an `AuthorizerConfiguration`. Durations are in Go's form, such as `30s`. */
export interface WebhookAuthorizerConfiguration {
  /** Time for which an approval is cached. */
  readonly authorizedTTL: string;
  /** Time for which a refusal is cached. */
  readonly unauthorizedTTL: string;
  /** Timeout of a call: more than 0 and at most 30 s. */
  readonly timeout: string;
  /** Version of the review to send. */
  readonly subjectAccessReviewVersion: "v1" | "v1beta1";
  /** Version of the review that match conditions see. Required with `matchConditions`. */
  readonly matchConditionSubjectAccessReviewVersion?: "v1" | undefined;
  /** Decision if the call fails. */
  readonly failurePolicy: "NoOpinion" | "Deny";
  /** Location of the webhook. */
  readonly connectionInfo: WebhookConnection;
  /** CEL expressions over `request`; the webhook is called if all are true. */
  readonly matchConditions?: readonly { readonly expression: string }[] | undefined;
}

/** An authorizer of an `AuthorizationConfiguration`. */
export interface AuthorizerConfiguration {
  /** Authorization mode, such as `RBAC` or `Webhook`. */
  readonly type: "AlwaysAllow" | "AlwaysDeny" | "ABAC" | "Node" | "RBAC" | "Webhook";
  /** Unique name. */
  readonly name: string;
  /** Webhook. Required for the type `Webhook`. */
  readonly webhook?: WebhookAuthorizerConfiguration | undefined;
}

/**
 * Authorizers in order, as in a file for kube-apiserver's `--authorization-config`.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#using-configuration-file-for-authorization
 */
export interface AuthorizationConfiguration {
  /** Group and version: `apiserver.config.k8s.io/v1`. */
  readonly apiVersion?: string | undefined;
  /** `AuthorizationConfiguration`. */
  readonly kind?: string | undefined;
  /** Authorizers in order: the first that allows or denies a request decides. */
  readonly authorizers: readonly AuthorizerConfiguration[];
}

/** Authorizer types that a configuration can name. */
export const authorizerTypes: readonly string[] = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];
const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`);

/**
 * Parses a file for kube-apiserver's `--authorization-config`: YAML or JSON of `apiserver.config.k8s.io/v1`. `name`
 * identifies the file in errors, `readKubeconfig` reads a webhook's kubeconfig. Throws a `ConfigError` that lists every
 * problem, except those of expressions.
 */
export function parseAuthorizationConfiguration(
  text: string,
  name: string,
  readKubeconfig?: (file: string) => Omit<WebhookConnection, "type">,
): AuthorizationConfiguration {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new ConfigError(`${name}: not valid YAML`, { cause: error });
  }
  if (!isJsonObject(value)) throw new ConfigError(`${name}: expected an AuthorizationConfiguration`);
  if (value["kind"] !== "AuthorizationConfiguration" || !versions.includes(String(value["apiVersion"])))
    throw new ConfigError(`${name}: expected an AuthorizationConfiguration of ${versions[0]!}`);
  const given = value as unknown as AuthorizationConfiguration;
  const configuration = readKubeconfig === undefined ? given : connectByFiles(given, readKubeconfig);
  checkAuthorizationConfiguration(configuration, name);
  return configuration;
}

/** Replaces kubeconfigs of webhooks with what they contain. */
function connectByFiles(
  configuration: AuthorizationConfiguration,
  readKubeconfig: (file: string) => Omit<WebhookConnection, "type">,
): AuthorizationConfiguration {
  if (!Array.isArray(configuration.authorizers)) return configuration;
  const authorizers = (configuration.authorizers as readonly AuthorizerConfiguration[]).map((authorizer) => {
    const { type, kubeConfigFile } = authorizer.webhook?.connectionInfo ?? {};
    if (type !== "KubeConfigFile" || typeof kubeConfigFile !== "string" || kubeConfigFile === "") return authorizer;
    const connectionInfo = { type: "Url", ...readKubeconfig(kubeConfigFile) } as const;
    return { ...authorizer, webhook: { ...authorizer.webhook!, connectionInfo } };
  });
  return { ...configuration, authorizers };
}

/** Throws a `ConfigError` that lists every problem of a configuration, except those of expressions. */
export function checkAuthorizationConfiguration({ authorizers }: AuthorizationConfiguration, name: string): void {
  const problems: string[] = [];
  if (!Array.isArray(authorizers) || authorizers.length === 0)
    throw new ConfigError(`${name}: authorizers: at least one authorizer is required`);
  const [types, names] = [new Set<string>(), new Set<string>()];
  (authorizers as readonly Partial<AuthorizerConfiguration>[]).forEach((authorizer, index) => {
    const at = `authorizers[${index}]`;
    const { type = "", name: its = "", webhook } = authorizer;
    if (!authorizerTypes.includes(type)) {
      problems.push(`${at}.type: unknown type ${JSON.stringify(type)}; expected one of ${authorizerTypes.join(", ")}`);
      return;
    }
    if (types.has(type) && type !== "Webhook") problems.push(`${at}.type: duplicate authorizer ${type}`);
    types.add(type);
    if (its === "") problems.push(`${at}.name is required`);
    else if (names.has(its)) problems.push(`${at}.name: duplicate name ${its}`);
    else if (nameErrors(its, "subdomain").length > 0) problems.push(`${at}.name: invalid name ${its}`);
    names.add(its);
    if (type !== "Webhook") {
      if (webhook !== undefined) problems.push(`${at}.webhook may only be set when type is Webhook`);
    } else if (webhook === undefined) problems.push(`${at}.webhook is required when type is Webhook`);
    else pushAll(problems, webhookProblems(webhook, `${at}.webhook`));
  });
  if (problems.length > 0) throw new ConfigError(`${name}: ${problems.join("; ")}`);
}

function webhookProblems(webhook: Partial<WebhookAuthorizerConfiguration>, at: string): string[] {
  const problems: string[] = [];
  const duration = (key: "timeout" | "authorizedTTL" | "unauthorizedTTL", mostMs: number): void => {
    const ms = milliseconds(webhook[key]);
    if (webhook[key] === undefined || ms === 0) problems.push(`${at}.${key} is required`);
    else if (ms === undefined || ms < 0 || ms > mostMs)
      problems.push(`${at}.${key}: invalid duration ${JSON.stringify(webhook[key])}`);
  };
  duration("timeout", 30_000);
  duration("authorizedTTL", Number.POSITIVE_INFINITY);
  duration("unauthorizedTTL", Number.POSITIVE_INFINITY);
  const oneOf = (key: keyof WebhookAuthorizerConfiguration, allowed: readonly string[]): void => {
    const value = webhook[key];
    if (value === undefined || value === "") problems.push(`${at}.${key} is required`);
    else if (!allowed.includes(value as string)) problems.push(`${at}.${key}: expected one of ${allowed.join(", ")}`);
  };
  oneOf("subjectAccessReviewVersion", ["v1", "v1beta1"]);
  oneOf("failurePolicy", ["NoOpinion", "Deny"]);
  const conditions = webhook.matchConditions ?? [];
  if (conditions.length > 0 || webhook.matchConditionSubjectAccessReviewVersion !== undefined)
    oneOf("matchConditionSubjectAccessReviewVersion", ["v1"]);
  const { type, url } = webhook.connectionInfo ?? {};
  if (type === undefined) problems.push(`${at}.connectionInfo.type is required`);
  else if (type !== "Url" || url === undefined)
    problems.push(`${at}.connectionInfo: type Url with url is required, or KubeConfigFile on the command line`);
  pushAll(problems, conditionProblems(conditions, at));
  return problems;
}

/** Returns the problems of match conditions, except those of their expressions. */
export function conditionProblems(conditions: readonly { readonly expression: string }[], at: string): string[] {
  if (conditions.length > 64) return [`${at}.matchConditions: at most 64 are allowed`];
  const seen = new Set<string>();
  return conditions.flatMap(({ expression }, index) => {
    const place = `${at}.matchConditions[${index}].expression`;
    if ((expression ?? "").trim() === "") return [`${place} is required`];
    if (seen.has(expression)) return [`${place}: duplicate expression`];
    seen.add(expression);
    return [];
  });
}

function milliseconds(text: string | undefined): number | undefined {
  try {
    return Number(parseDuration(text ?? "")) / 1e6;
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

/** Converts a webhook of a checked configuration. */
export function configuredWebhook(webhook: WebhookAuthorizerConfiguration): AuthorizationWebhook {
  const { connectionInfo, matchConditions = [] } = webhook;
  return {
    url: connectionInfo.url!,
    ...(connectionInfo.caBundle === undefined ? {} : { caBundle: connectionInfo.caBundle }),
    ...(connectionInfo.headers === undefined ? {} : { headers: connectionInfo.headers }),
    ...(connectionInfo.clientCertificate === undefined ? {} : { clientCertificate: connectionInfo.clientCertificate }),
    version: webhook.subjectAccessReviewVersion,
    authorizedTtlMs: milliseconds(webhook.authorizedTTL)!,
    unauthorizedTtlMs: milliseconds(webhook.unauthorizedTTL)!,
    timeoutMs: milliseconds(webhook.timeout)!,
    failurePolicy: webhook.failurePolicy,
    matchConditions,
  };
}
