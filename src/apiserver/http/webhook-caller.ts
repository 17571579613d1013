import { TransportError } from "../../errors/errors.js";
import { utf8Decode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { readLimited } from "../../internal/streams/read-limited.js";
import type { FindService, ServicePlace } from "./service-resolver.js";

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
  /**
   * Address to connect to, `host:port`, instead of that of `url`: an endpoint of the webhook's Service. The certificate
   * must be valid for the host of `url`.
   */
  readonly connectTo?: string | undefined;
  /** CA certificate of the webhook: PEM in base64; `undefined` to use the system's authorities. */
  readonly caBundle: string | undefined;
  /** Additional headers to send. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificate and private key of this server, in PEM, for webhooks that require one. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Object to send as JSON. */
  readonly body: object;
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts the call. */
  readonly signal: AbortSignal;
}

/** Function that calls a webhook. Resolves with the parsed JSON response, rejects on any failure. */
export type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

/** Services for calling the webhook of a configuration. */
export interface WebhookServices {
  readonly callWebhook: WebhookCaller;
  readonly findService: FindService;
}

/** Calls the webhook of a configuration, in this process if a function stands for its Service. */
export async function callConfigured(
  config: WebhookClientConfig,
  { callWebhook, findService }: WebhookServices,
  call: Omit<WebhookCall, "url" | "connectTo">,
): Promise<unknown> {
  const { handler, url: address, connectTo } = await locateWebhook(config, findService);
  if (handler === undefined) return callWebhook({ url: address, connectTo, ...call });
  const url = new URL(address);
  url.searchParams.set("timeout", `${Math.round(call.timeoutMs / 1000)}s`);
  const headers = { ...call.headers, "content-type": "application/json", accept: "application/json" };
  const response = await handler(
    new Request(url, { method: "POST", headers, body: JSON.stringify(call.body), signal: call.signal }),
  );
  const answer = await readLimited(response, maxAnswerBytes);
  if (answer === undefined) throw new TransportError(`the response is longer than ${maxAnswerBytes} bytes`);
  return readWebhookAnswer(response.status, answer);
}

/**
 * Returns the URL of a webhook and the address to connect to. Like kube-apiserver, drops empty path segments and a
 * trailing slash. Rejects if the webhook's Service has no ready endpoint.
 */
export async function locateWebhook(
  { url, service }: WebhookClientConfig,
  findService: FindService,
): Promise<Pick<WebhookCall, "url" | "connectTo"> & Pick<ServicePlace, "handler">> {
  if (service === undefined) {
    const [, origin = "", path = "", rest = ""] =
      /^([a-z]+:\/\/[^/?#]*)((?:\/[^?#]*)?)((?:[?#].*)?)$/i.exec(url ?? "") ?? [];
    return { url: `${origin}${cleanPath(path)}${rest}` };
  }
  const { namespace, name, port = 443, path = "" } = service;
  const { origin, ...place } = await findService({ namespace, name, port });
  return { url: `${origin}${cleanPath(path)}`, ...place };
}

function cleanPath(path: string): string {
  const joined = `/${path}`.replace(/\/{2,}/g, "/");
  return new URL(joined, "https://webhook").pathname.replace(/\/$/, "");
}

/** Maximum size of a webhook's response in bytes. */
export const maxAnswerBytes: number = 3 * 1024 * 1024;
/** Maximum number of characters of a response that an error repeats, as in kube-apiserver. */
const mostShown = 2_048;

/** Parses a webhook's response. Throws a `TransportError` if its status isn't 2xx, or if it isn't JSON. */
export function readWebhookAnswer(status: number, body: Uint8Array): unknown {
  const text = utf8Decode(body);
  if (status < 200 || status > 299)
    throw new TransportError(`the webhook answered with status ${status}: ${text.slice(0, mostShown).trim()}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TransportError("the response is not JSON", { cause: error });
  }
}

/**
 * Calls webhooks with the platform's `fetch`, which ignores `caBundle` and trusts only the system's authorities.
 */
export function fetchWebhookCaller(clock: Clock): WebhookCaller {
  return async ({ url, connectTo, headers, body, timeoutMs, signal }) => {
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const target = new URL(url);
    if (connectTo !== undefined) target.host = connectTo;
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
      });
      const answer = await readLimited(response, maxAnswerBytes);
      if (answer === undefined) throw new TransportError(`the response is longer than ${maxAnswerBytes} bytes`);
      return readWebhookAnswer(response.status, answer);
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    }
  };
}
