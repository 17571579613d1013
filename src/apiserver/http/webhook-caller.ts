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

/** What is said of a webhook that answers with a status other than 200. */
export function webhookStatusText(status: number, body: string): string {
  return `the webhook answered with status ${String(status)}: ${body.trim()}`;
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
      if (!response.ok) throw new TransportError(webhookStatusText(response.status, await response.text()));
      return (await response.json()) as unknown;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    }
  };
}
