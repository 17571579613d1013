import type { IncomingMessage, RequestOptions } from "node:http";
import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { TransportError } from "../../errors/errors.js";
import { maxAnswerBytes, readWebhookAnswer, type WebhookCall, type WebhookCaller } from "../http/webhook-caller.js";
import { readResponse } from "./read-response.js";
import { serverIdentity } from "./server-identity.js";

/** Maximum number of redirects to follow, as in Go. */
const mostRedirects = 10;

/**
 * Calls webhooks over HTTPS, trusts the `caBundle` that each webhook configuration names, and follows redirects.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 * import { nodeWebhookCaller } from "kubestream/apiserver/node";
 *
 * const server = createApiServer({ webhooks: nodeWebhookCaller });
 * await server.close();
 * ```
 */
export const nodeWebhookCaller: WebhookCaller = async (call) => {
  const endMs = performance.now() + call.timeoutMs;
  const first = new URL(call.url);
  first.searchParams.set("timeout", `${String(Math.round(call.timeoutMs / 1000))}s`);
  let step: Step = {
    url: first,
    connectTo: call.connectTo,
    payload: JSON.stringify(call.body),
    headers: call.headers ?? {},
  };
  for (let redirects = 0; ; redirects++) {
    const { status, location, body } = await send(step, call, Math.max(1, endMs - performance.now()));
    const next = location === undefined ? undefined : redirected(step, status, location);
    if (next === undefined) return readWebhookAnswer(status, body);
    if (redirects === mostRedirects)
      throw new TransportError(`Post ${JSON.stringify(location)}: stopped after ${String(mostRedirects)} redirects`);
    step = next;
  }
};

/** One request of a call. */
interface Step {
  readonly url: URL;
  readonly connectTo: string | undefined;
  /** Body of a POST; `undefined` for a GET. */
  readonly payload: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: Uint8Array;
}

/** Returns the request that a redirect stands for: the same one for 307 and 308, a GET for the others. */
function redirected(step: Step, status: number, location: string): Step | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const url = new URL(location, step.url);
  const sameHost = url.host === step.url.host;
  return {
    url,
    connectTo: sameHost ? step.connectTo : undefined,
    payload: status < 307 ? undefined : step.payload,
    // Credentials are for the first host only.
    headers: sameHost ? step.headers : {},
  };
}

function send({ url, connectTo, payload, headers }: Step, call: WebhookCall, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { caBundle, clientCertificate, signal } = call;
    const options: RequestOptions & { allowPartialTrustChain?: boolean; servername?: string } = {
      method: payload === undefined ? "GET" : "POST",
      signal,
      timeout: timeoutMs,
      agent: false,
      headers: {
        ...headers,
        accept: "application/json",
        ...(payload === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        ...(connectTo === undefined ? {} : { host: url.host }),
      },
    };
    const tls = {
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
      rejectUnauthorized: true,
      // Like Go, trust any certificate of the bundle, including the webhook's own.
      ...(caBundle === undefined ? {} : { ca: Buffer.from(caBundle, "base64"), allowPartialTrustChain: true }),
      ...serverIdentity(url.hostname, connectTo),
      // Like the headers, for the first host only.
      ...(url.host === new URL(call.url).host ? clientCertificate : {}),
    };
    const target = new URL(url);
    if (connectTo !== undefined) target.host = connectTo;
    const onResponse = (response: IncomingMessage): void => {
      const { statusCode: status = 0, headers: received } = response;
      readResponse(request, response, maxAnswerBytes).then(
        (body) => resolve({ status, location: received.location, body }),
        reject,
      );
    };
    const request =
      target.protocol === "https:"
        ? tlsRequest(target, { ...options, ...tls }, onResponse)
        : plainRequest(target, options, onResponse);
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")));
    request.on("error", (error) =>
      reject(new Error(`Post ${JSON.stringify(url.href)}: ${error.message}`, { cause: error })),
    );
    request.end(payload);
  });
}
