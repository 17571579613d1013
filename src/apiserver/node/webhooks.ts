import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { maxAnswerBytes, readWebhookAnswer, type WebhookCaller } from "../http/webhook-caller.js";
import { readResponse } from "./read-response.js";

/**
 * Calls webhooks over HTTPS and trusts the `caBundle` that each webhook configuration names.
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
export const nodeWebhookCaller: WebhookCaller = ({ url, caBundle, headers, body, timeoutMs, signal }) =>
  new Promise((resolve, reject) => {
    const target = new URL(url);
    target.searchParams.set("timeout", `${String(Math.round(timeoutMs / 1000))}s`);
    const send = target.protocol === "https:" ? tlsRequest : plainRequest;
    const payload = JSON.stringify(body);
    const request = send(
      target,
      {
        method: "POST",
        signal,
        timeout: timeoutMs,
        agent: false,
        // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
        rejectUnauthorized: true,
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json",
          "content-length": Buffer.byteLength(payload),
        },
        // Like Go, trust any certificate of the bundle, including the webhook's own.
        ...(caBundle === undefined ? {} : { ca: Buffer.from(caBundle, "base64"), allowPartialTrustChain: true }),
      },
      (response) => {
        readResponse(request, response, maxAnswerBytes)
          .then((answer) => readWebhookAnswer(response.statusCode ?? 0, answer))
          .then(resolve, reject);
      },
    );
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")));
    request.on("error", (error) =>
      reject(new Error(`Post ${JSON.stringify(target.href)}: ${error.message}`, { cause: error })),
    );
    request.end(payload);
  });
