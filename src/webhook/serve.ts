import { ProtocolError } from "../errors/errors.js";
import { utf8Decode } from "../internal/bytes.js";
import { readLimited } from "../internal/read-limited.js";
import type { KubernetesObject } from "../meta/object.js";
import { type AdmissionHandler, readAdmission, reviewAdmission } from "./admission.js";
import { type ConversionHandler, readConversion, reviewConversion } from "./conversion.js";

/** Options for `admissionWebhook` and `conversionWebhook`. */
export interface WebhookOptions {
  /** Longest body that is read, in bytes; a longer one is answered with 413. Default 64 MiB. */
  readonly maxBodyBytes?: number;
}

/** From request to answer, as many servers take it. */
export type WebhookHandler = (request: Request) => Promise<Response>;

/**
 * An admission webhook as a function from request to response. What is no review is answered with 400, 405, 413 or 415. Rejects with what `decide`
 * throws: the server around it answers 500 then, and the webhook's `failurePolicy` decides.
 */
export function admissionWebhook<T = KubernetesObject>(
  decide: AdmissionHandler<T>,
  options: WebhookOptions = {},
): WebhookHandler {
  return (request) => serve(request, options, readAdmission, (review) => reviewAdmission<T>(review, decide));
}

/** A conversion webhook as a function from request to response. What is no review is answered with 400, 405, 413 or 415. */
export function conversionWebhook(convert: ConversionHandler, options: WebhookOptions = {}): WebhookHandler {
  return (request) => serve(request, options, readConversion, (review) => reviewConversion(review, convert));
}

async function serve(
  request: Request,
  { maxBodyBytes = 64 * 1024 * 1024 }: WebhookOptions,
  check: (review: unknown) => unknown,
  answer: (review: unknown) => Promise<object>,
): Promise<Response> {
  if (request.method !== "POST")
    return new Response("send a review by POST\n", { status: 405, headers: { allow: "POST" } });
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return new Response("send a review as application/json\n", { status: 415 });
  const body = await readLimited(request, maxBodyBytes);
  if (body === undefined) return new Response(`the body is longer than ${maxBodyBytes} bytes\n`, { status: 413 });
  let review: unknown;
  try {
    review = JSON.parse(utf8Decode(body));
    check(review);
  } catch (error) {
    return new Response(`${error instanceof ProtocolError ? error.message : "the body is no JSON"}\n`, { status: 400 });
  }
  return new Response(JSON.stringify(await answer(review)), { headers: { "content-type": "application/json" } });
}
