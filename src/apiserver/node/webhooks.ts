import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { type WebhookCaller, webhookStatusText } from "../http/webhook-caller.js";

/** Maximum size of a webhook's response in bytes. */
const LIMIT = 3 * 1024 * 1024;

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
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > LIMIT) request.destroy(new Error(`the response is longer than ${String(LIMIT)} bytes`));
          else chunks.push(chunk);
        });
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode !== 200) {
            reject(new Error(webhookStatusText(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"))));
            return;
          }
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")));
          } catch (error) {
            reject(new Error("the response is not JSON", { cause: error }));
          }
        });
      },
    );
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")));
    request.on("error", (error) =>
      reject(new Error(`Post ${JSON.stringify(target.href)}: ${error.message}`, { cause: error })),
    );
    request.end(payload);
  });
