import { TransportError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";

/** How a webhook is reached. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Certificate authority of the webhook: PEM in base64. */
  readonly caBundle?: string;
}

/** One call of a webhook. */
export interface WebhookCall {
  /** Where the webhook is. */
  readonly url: string;
  /** Certificate authority of the webhook: PEM in base64; absent for the system's. */
  readonly caBundle: string | undefined;
  /** Sent as JSON. */
  readonly body: object;
  /** Longest wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the call. */
  readonly signal: AbortSignal;
}

/** Calls webhooks: answers with the parsed JSON, or rejects with what went wrong. */
export type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

/**
 * Returns the URL of a webhook. Services are addressed by their name in the cluster. Like a real server, this drops empty path segments and a
 * trailing slash.
 */
export function webhookUrl({ url, service }: WebhookClientConfig): string {
  if (service === undefined) {
    const [, origin = "", path = "", rest = ""] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(.*)$/i.exec(url ?? "") ?? [];
    return `${origin}${cleanPath(path)}${rest}`;
  }
  return `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}${cleanPath(service.path ?? "")}`;
}

function cleanPath(path: string): string {
  const joined = `/${path}`.replace(/\/{2,}/g, "/");
  return new URL(joined, "https://webhook").pathname.replace(/\/$/, "");
}

const statusTexts: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** What a real server says of a webhook that answers with a status other than 200. */
export function webhookStatusText(status: number, contentType: string, body: string): string {
  const detail = contentType === "" || contentType.startsWith("text/") ? body.trim() : "unknown";
  if (status === 403 || status === 406 || status === 415) return detail;
  const known = statusTexts[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(detail)}) has prevented the request from succeeding`
    : `the server responded with the status code ${String(status)} but did not return more information`;
}

/** Calls webhooks by the platform's `fetch`, which knows no certificate authority but the system's. */
export function fetchWebhookCaller(clock: Clock): WebhookCaller {
  return async ({ url, body, timeoutMs, signal }) => {
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const target = new URL(url);
    target.searchParams.set("timeout", `${Math.round(timeoutMs / 1000)}s`);
    const timer = clock.setTimer(
      () => controller.abort(new Error(`Post ${JSON.stringify(target.href)}: context deadline exceeded`)),
      timeoutMs,
    );
    try {
      const response = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(body),
        signal: controller.signal,
        redirect: "error",
      });
      if (!response.ok)
        throw new TransportError(
          webhookStatusText(response.status, response.headers.get("content-type") ?? "", await response.text()),
        );
      return (await response.json()) as unknown;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    }
  };
}
