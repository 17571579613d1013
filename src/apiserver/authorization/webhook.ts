import type { Clock } from "../../internal/clock.js";
import type { WebhookCaller } from "../http/webhook-caller.js";
import { ExpiringCache } from "../internal/expiring-cache.js";
import { isJsonObject } from "../internal/json-value.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import type { Authorizer, Decision } from "../rbac/authorizer.js";
import { unlisted } from "./fixed.js";

/** Options for an authorizer that sends a SubjectAccessReview to a webhook. */
export interface AuthorizationWebhook {
  /** URL of the webhook. */
  readonly url: string;
  /** CA certificate of the webhook: PEM in base64. Default: the system's authorities. */
  readonly caBundle?: string | undefined;
  /** Headers to send, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificate and private key of this server, in PEM. Default: none. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Version of the review to send. Default: `v1`. */
  readonly version?: "v1" | "v1beta1" | undefined;
  /** Time in milliseconds for which an approval is cached. Default: 300,000. */
  readonly authorizedTtlMs?: number | undefined;
  /** Time in milliseconds for which a refusal is cached. Default: 30,000. */
  readonly unauthorizedTtlMs?: number | undefined;
  /** Timeout of a call in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Decision if the call fails: `NoOpinion` leaves it to the next authorizer. Default: `NoOpinion`. */
  readonly failurePolicy?: "NoOpinion" | "Deny" | undefined;
  /** CEL expressions over `request`, the spec of the review; the webhook is called if all are true. Default: none. */
  readonly matchConditions?: readonly { readonly expression: string }[] | undefined;
}

/** CEL expression over the spec of a review. */
export interface MatchCondition {
  readonly expression: string;
}

/**
 * Evaluates conditions for the spec of a SubjectAccessReview. One that is false decides, even if others fail. Throws a
 * `CelError` if one fails and none is false.
 */
export type ConditionsHold = (spec: object) => boolean;

/** Services that webhook authorizers need. */
export interface WebhookServices {
  readonly clock: Clock;
  readonly callWebhook: WebhookCaller;
  readonly closed: AbortSignal;
}

/** Maximum total length of the attributes in a review that is cached. */
const longestCached = 10_000;
const capacity = 8192;

/**
 * Creates an authorizer that asks a webhook.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 */
export function webhookAuthorizer(
  webhook: AuthorizationWebhook,
  conditionsHold: ConditionsHold,
  { clock, callWebhook, closed }: WebhookServices,
): Authorizer {
  const { version = "v1", authorizedTtlMs = 300_000, unauthorizedTtlMs = 30_000, timeoutMs = 30_000 } = webhook;
  const cache = new ExpiringCache<Decision>(clock, capacity);
  const failed = (error: unknown): Decision => ({
    allowed: false,
    ...(webhook.failurePolicy === "Deny" ? { denied: true } : {}),
    reason: "",
    error: error instanceof Error ? error.message : String(error),
  });
  const ask = async (spec: object, key: string, cached: boolean): Promise<Decision> => {
    const { groups, ...rest } = withoutEmpty(spec) as { groups?: readonly string[] };
    try {
      const review = await callWebhook({
        url: webhook.url,
        caBundle: webhook.caBundle,
        headers: webhook.headers,
        clientCertificate: webhook.clientCertificate,
        body: {
          apiVersion: `authorization.k8s.io/${version}`,
          kind: "SubjectAccessReview",
          metadata: {},
          spec: { ...rest, ...(groups === undefined ? {} : { [version === "v1" ? "groups" : "group"]: groups }) },
          status: { allowed: false },
        },
        timeoutMs,
        signal: closed,
      });
      const status = isJsonObject(review) && isJsonObject(review["status"]) ? review["status"] : {};
      const decision = decisionOf(status);
      if (cached) cache.set(key, decision, decision.allowed ? authorizedTtlMs : unauthorizedTtlMs);
      return decision;
    } catch (error) {
      return failed(error);
    }
  };
  return {
    authorize(attributes) {
      const spec = reviewSpec(attributes);
      try {
        if (!conditionsHold(spec)) return { allowed: false, reason: "" };
      } catch (error) {
        return failed(error);
      }
      const key = JSON.stringify(spec);
      return cache.get(key) ?? ask(spec, key, isCacheable(attributes));
    },
    rulesFor: unlisted("webhook"),
  };
}

/** Returns the spec of a review without empty texts and lists, as kube-apiserver sends it. */
function withoutEmpty(spec: object): object {
  const kept = Object.entries(spec).filter(
    ([, value]) => value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(
    kept.map(([key, value]: [string, unknown]) => [
      key,
      key.endsWith("Attributes") ? withoutEmpty(value as object) : value,
    ]),
  );
}

function decisionOf(status: Readonly<Record<string, unknown>>): Decision {
  const allowed = status["allowed"] === true;
  const denied = status["denied"] === true;
  const reason = typeof status["reason"] === "string" ? status["reason"] : "";
  if (allowed && denied)
    return {
      allowed: false,
      denied,
      reason,
      error: "webhook subject access review returned both allow and deny response",
    };
  return { allowed, ...(denied ? { denied } : {}), reason };
}

/** False for attributes of unusual length, which a client could use to fill the cache. */
function isCacheable(attributes: AuthorizationAttributes): boolean {
  const { namespace, verb, group, version, resource, subresource, name, path, fieldSelector, labelSelector } =
    attributes;
  const selectors = fieldSelector || labelSelector ? JSON.stringify([fieldSelector, labelSelector]) : "";
  return (
    [namespace, verb, group, version, resource, subresource, name, path, selectors].join("").length < longestCached
  );
}

/** Returns the spec of the SubjectAccessReview for an action. */
export function reviewSpec(attributes: AuthorizationAttributes): object {
  const { user, verb, namespace, group, version, resource, subresource, name, path } = attributes;
  const { fieldSelector, labelSelector } = attributes;
  return {
    ...(attributes.isResource
      ? {
          resourceAttributes: {
            namespace,
            verb,
            group,
            version,
            resource,
            subresource,
            name,
            ...(fieldSelector?.length ? { fieldSelector: { requirements: fieldSelector } } : {}),
            ...(labelSelector?.length ? { labelSelector: { requirements: labelSelector } } : {}),
          },
        }
      : { nonResourceAttributes: { path, verb } }),
    user: user.name,
    groups: user.groups,
    uid: user.uid,
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}
