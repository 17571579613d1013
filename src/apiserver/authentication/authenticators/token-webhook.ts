import type { Clock } from "../../../internal/clock.js";
import type { UserInfo } from "../../http/user-info.js";
import type { WebhookCaller } from "../../http/webhook-caller.js";
import { ExpiringCache } from "../../internal/expiring-cache.js";
import { isJsonObject } from "../../internal/json-value.js";
import type { TokenAuthenticator, TokenUser } from "./authenticator.js";
import { AuthenticationError } from "./authenticator.js";

/**
 * Options for a webhook that reviews tokens.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 */
export interface TokenWebhook {
  /** URL of the webhook. */
  readonly url: string;
  /** CA certificate of the webhook: PEM in base64. Default: the system's authorities. */
  readonly caBundle?: string | undefined;
  /** Headers to send, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificate and private key of this server, in PEM. Default: none. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Version of the TokenReview to send. Default: `v1`. */
  readonly version?: "v1" | "v1beta1" | undefined;
  /** Time in milliseconds for which a result is cached. Default: 120,000. */
  readonly cacheTtlMs?: number | undefined;
  /** Timeout of a call in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

const capacity = 1024;

/** Services of the authenticator. `audiences` are those of the server. */
interface Services {
  readonly clock: Clock;
  readonly callWebhook: WebhookCaller;
  readonly closed: AbortSignal;
  readonly audiences: readonly string[];
}

/** Creates the authenticator of a webhook. */
export function tokenWebhook(
  webhook: TokenWebhook,
  { clock, callWebhook, closed, audiences: own }: Services,
): TokenAuthenticator {
  const {
    url,
    caBundle,
    headers,
    clientCertificate,
    version = "v1",
    cacheTtlMs = 120_000,
    timeoutMs = 30_000,
  } = webhook;
  const cache = new ExpiringCache<TokenUser | undefined | AuthenticationError>(clock, capacity);
  const ask = async (token: string, audiences: readonly string[]): Promise<unknown> => {
    try {
      const review = await callWebhook({
        url,
        caBundle,
        headers,
        clientCertificate,
        body: {
          apiVersion: `authentication.k8s.io/${version}`,
          kind: "TokenReview",
          metadata: {},
          spec: { token, audiences },
          status: { user: {} },
        },
        timeoutMs,
        signal: closed,
      });
      return isJsonObject(review) ? review["status"] : undefined;
    } catch (error) {
      throw new AuthenticationError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
  return async (token, audiences) => {
    const key = await digest(JSON.stringify([token, audiences]));
    const known = cache.get(key);
    if (known instanceof AuthenticationError) throw known;
    if (known !== undefined) return known;
    const result = outcome(await ask(token, audiences), audiences, own);
    cache.set(key, result, cacheTtlMs);
    if (result instanceof AuthenticationError) throw result;
    return result;
  };
}

/** Returns a key that doesn't keep the token in memory. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Converts the status of a review. A webhook that doesn't know audiences returns none, and means those of the server. */
function outcome(
  status: unknown,
  audiences: readonly string[],
  own: readonly string[],
): TokenUser | AuthenticationError | undefined {
  if (!isJsonObject(status)) return new AuthenticationError("the webhook returned no status");
  if (status["authenticated"] !== true)
    return typeof status["error"] === "string" && status["error"] !== ""
      ? new AuthenticationError(status["error"])
      : new AuthenticationError("the webhook rejected the token");
  const given = texts(status["audiences"]);
  const valid = given.length === 0 ? own : given;
  const common = audiences.filter((audience) => valid.includes(audience));
  if (common.length === 0) return new AuthenticationError("the token isn't valid for the audiences of the server");
  return { user: userOf(isJsonObject(status["user"]) ? status["user"] : {}), audiences: common };
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

function userOf(user: Readonly<Record<string, unknown>>): UserInfo {
  const text = (key: string): string => (typeof user[key] === "string" ? user[key] : "");
  const extra = isJsonObject(user["extra"]) ? user["extra"] : {};
  return {
    name: text("username"),
    uid: text("uid"),
    groups: texts(user["groups"]),
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, texts(values)])),
  };
}
