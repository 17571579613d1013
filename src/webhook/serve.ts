import { ProtocolError } from "../errors/errors.js";
import { utf8Decode } from "../internal/bytes.js";
import { readLimited } from "../internal/streams/read-limited.js";
import type { KubernetesObject } from "../meta/object.js";
import { type AdmissionHandler, readAdmission, reviewAdmission } from "./admission.js";
import { readTokenReview, reviewToken, type TokenHandler } from "./authentication.js";
import { type ConversionHandler, readConversion, reviewConversion } from "./conversion.js";

/** Options for `admissionWebhook`, `conversionWebhook` and `authenticationWebhook`. */
export interface WebhookOptions {
  /** Maximum size of a request body in bytes. A larger one gets a 413. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
}

/** Handler for HTTP requests, as accepted by Hono, Deno, Bun and other servers with the Fetch API. */
export type WebhookHandler = (request: Request) => Promise<Response>;

/**
 * Creates the HTTP handler of an admission webhook, validating or mutating. Requests that aren't a valid
 * AdmissionReview get a 400, 405, 413 or 415. The handler rejects with the error that `decide` throws. Let your server
 * respond with 500 then, so that the webhook's `failurePolicy` applies.
 *
 * @example
 * ```ts
 * import { admissionWebhook } from "kubestream/webhook";
 * import type { Pod } from "kubestream/kinds/core/v1";
 *
 * export const handler = admissionWebhook<Pod>((request) => {
 *   if (request.operation !== "CREATE") return undefined; // allow
 *   const { object } = request;
 *   if (object.spec?.hostNetwork === true) return { allowed: false, message: "hostNetwork is not allowed" };
 *   return { object: { ...object, spec: { ...object.spec!, automountServiceAccountToken: false } } };
 * });
 * ```
 */
export function admissionWebhook<T = KubernetesObject>(
  decide: AdmissionHandler<T>,
  options: WebhookOptions = {},
): WebhookHandler {
  return (request) => serve(request, options, readAdmission, (review) => reviewAdmission<T>(review, decide));
}

/**
 * Creates the HTTP handler of a conversion webhook for a CustomResourceDefinition. Requests that aren't a valid
 * ConversionReview get a 400, 405, 413 or 415.
 *
 * @example
 * ```ts
 * import { conversionWebhook } from "kubestream/webhook";
 *
 * export const handler = conversionWebhook((object, desiredAPIVersion) => {
 *   const { spec, ...rest } = object as { spec: { size?: number; text?: string } };
 *   return { ...rest, spec: desiredAPIVersion.endsWith("/v2") ? { text: String(spec.size) } : { size: Number(spec.text) } };
 * });
 * ```
 */
export function conversionWebhook(convert: ConversionHandler, options: WebhookOptions = {}): WebhookHandler {
  return (request) => serve(request, options, readConversion, (review) => reviewConversion(review, convert));
}

/**
 * Creates the HTTP handler of an authentication webhook, to which an API server sends bearer tokens that it doesn't know
 * (`--authentication-token-webhook-config-file`). Requests that aren't a valid TokenReview get a 400, 405, 413 or 415.
 *
 * @example
 * ```ts
 * import { authenticationWebhook } from "kubestream/webhook";
 *
 * export const handler = authenticationWebhook(async ({ token }) => {
 *   const response = await fetch("https://id.example.com/me", { headers: { authorization: `Bearer ${token}` } });
 *   if (response.status === 401) return undefined;
 *   const { name, teams } = (await response.json()) as { name: string; teams: string[] };
 *   return { username: name, groups: teams };
 * });
 * ```
 */
export function authenticationWebhook(authenticate: TokenHandler, options: WebhookOptions = {}): WebhookHandler {
  return (request) => serve(request, options, readTokenReview, (review) => reviewToken(review, authenticate));
}

async function serve(
  request: Request,
  { maxBodyBytes = 64 * 1024 * 1024 }: WebhookOptions,
  check: (review: unknown) => unknown,
  answer: (review: unknown) => Promise<object>,
): Promise<Response> {
  if (request.method !== "POST")
    return new Response("send a review with POST\n", { status: 405, headers: { allow: "POST" } });
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return new Response("send a review as application/json\n", { status: 415 });
  const body = await readLimited(request, maxBodyBytes);
  if (body === undefined) return new Response(`the body is larger than ${maxBodyBytes} bytes\n`, { status: 413 });
  let review: unknown;
  try {
    review = JSON.parse(utf8Decode(body));
    check(review);
  } catch (error) {
    return new Response(`${error instanceof ProtocolError ? error.message : "the body is not valid JSON"}\n`, {
      status: 400,
    });
  }
  return new Response(JSON.stringify(await answer(review)), { headers: { "content-type": "application/json" } });
}
