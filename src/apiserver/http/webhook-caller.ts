import { TransportError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";

/** Address of a webhook, as in its configuration. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
  /** CA certificate of the webhook: PEM in base64. */
  readonly caBundle?: string | undefined;
}

/** One call to a webhook. */
export interface WebhookCall {
  /** URL of the webhook. */
  readonly url: string;
  /** CA certificate of the webhook: PEM in base64; `undefined` to use the system's authorities. */
  readonly caBundle: string | undefined;
  /** Additional headers to send. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Object to send as JSON. */
  readonly body: object;
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts the call. */
  readonly signal: AbortSignal;
}

/** Function that calls a webhook. Resolves with the parsed JSON response, rejects on any failure. */
export type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

/**
 * Returns the URL of a webhook; services resolve to their DNS name in the cluster. Like kube-apiserver, drops empty
 * path segments and a trailing slash.
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

/** Returns the error text for a webhook response whose status isn't 200. */
export function webhookStatusText(status: number, body: string): string {
  return `the webhook answered with status ${String(status)}: ${body.trim()}`;
}

/** Calls webhooks with the platform's `fetch`, which ignores `caBundle` and trusts only the system's authorities. */
export function fetchWebhookCaller(clock: Clock): WebhookCaller {
  return async ({ url, headers, body, timeoutMs, signal }) => {
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
        headers: { ...headers, "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(body),
        signal: controller.signal,
        redirect: "error",
      });
      if (!response.ok) throw new TransportError(webhookStatusText(response.status, await response.text()));
      return (await response.json()) as unknown;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    }
  };
}
