import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Runnable } from "../../controller/manager/manager.js";
import { type Log, logToConsole } from "../../controller/reconcile/controller-log.js";
import { whenAborted } from "../../internal/abort.js";
import { type Clock, systemClock } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import type { MetricFamily, MetricSource } from "../../internal/telemetry/metrics.js";
import { whenClosed } from "../../internal/when-closed.js";
import type { WebhookHandler } from "../../webhook/serve.js";
import { sendFetchResponse, toFetchRequest } from "../proxy/fetch-bridge.js";
import { checkListenPort, closeServer, type ListenAddress, startListening } from "../serving/listening.js";
import type { CertificateSource, TlsPair } from "./certificate-source.js";
import { type CertificateFiles, FileCertificate } from "./file-certificate.js";
import { type ManagedCertificate, SecretCertificate } from "./secret-certificate.js";
import { WebhookMetrics } from "./webhook-metrics.js";

/** Options for `serveWebhooks`. */
export interface ServeWebhooksOptions {
  /** Handlers by path, such as `{ "/validate": admissionWebhook(…) }`. */
  readonly handlers: Readonly<Record<string, WebhookHandler>>;
  /** Certificate of the server: in a Secret that the server manages, or in files that another program renews. */
  readonly certificate: ManagedCertificate | CertificateFiles;
  /** Port to listen on; 0 picks a free one. Default 9443. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: all interfaces, because API servers connect from outside the pod. */
  readonly host?: string | undefined;
  /**
   * Certificate authorities of callers in PEM. Requests without a client certificate that one of them signed then get a
   * 401, except for probes. Default: callers need no certificate.
   */
  readonly clientCa?: string | undefined;
  /** Receives log entries: errors of handlers, steps of rotations. Default: `logToConsole`. */
  readonly log?: Log | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** A running webhook server. Pass it to a manager as one of its `runnables`, and to `serveOperations` as a metric source. */
export interface WebhookServer extends Runnable, MetricSource, AsyncDisposable {
  /** Base URL, such as `https://127.0.0.1:9443`. */
  readonly url: string;
  /** Port that the server listens on. */
  readonly port: number;
  /** Always false: every replica serves. */
  readonly needsLeadership: false;
  /** Always true: in a manager, the server closes after everything that may depend on it. */
  readonly stopsLast: true;
  /**
   * Readiness check: fails if the certificate has expired, or if a configuration doesn't list its authority. A manager
   * includes it in its readiness.
   */
  check(): string | undefined;
  /** Returns metrics with the names of controller-runtime, such as `controller_runtime_webhook_requests_total`. */
  collect(): readonly MetricFamily[];
  /** Closes the server. Requests in progress have ten seconds to end. */
  close(): Promise<void>;
}

/** Time that requests in progress have to end after a close. */
const lastWaitMs = 10_000;
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Longer than the 90 seconds for which kube-apiserver reuses a connection: it can't repeat a request that meets its end.
  keepAliveTimeout: 120_000,
  maxHeaderSize: 16_384,
};
const maxConnections = 1_000;

/**
 * Serves webhooks over HTTPS: admission, conversion and authentication reviews. `/healthz` and `/readyz` answer probes
 * with the scheme HTTPS. With a `secret`, the server creates the certificate, writes its authority into the `caBundle` of
 * the named configurations, and rotates both without failing calls; replicas share the Secret. With `certFile` and
 * `keyFile`, it follows the files.
 *
 * The server listens when the promise resolves, before a manager fills its caches, because these may need conversions.
 * Rejects with a `KubestreamError` if the port can't be opened or the Secret can't be written, and with a `ConfigError`
 * for unusable files. Throws a `TypeError` or `RangeError` for invalid options.
 *
 * @example
 * ```ts
 * import { createManager } from "kubestream/controller";
 * import { connect, serveWebhooks } from "kubestream/node";
 * import { admissionWebhook } from "kubestream/webhook";
 *
 * const client = await connect();
 * const webhooks = await serveWebhooks({
 *   handlers: { "/validate": admissionWebhook(({ name }) => (name === "no" ? { allowed: false, message: "no" } : {})) },
 *   certificate: {
 *     client,
 *     secret: { namespace: "shop", name: "webhook-tls" },
 *     service: { namespace: "shop", name: "webhooks" },
 *     validatingWebhookConfigurations: ["shop"],
 *   },
 * });
 * const manager = createManager({ runnables: [webhooks] });
 * await manager.run({ signal: AbortSignal.timeout(60_000) });
 * ```
 */
export async function serveWebhooks(options: ServeWebhooksOptions): Promise<WebhookServer> {
  const { port = 9443, host, handlers, clientCa, certificate, clock = systemClock } = options;
  checkListenPort(port);
  for (const path of Object.keys(handlers))
    if (!path.startsWith("/") || path === "/healthz" || path === "/readyz")
      throw new TypeError(
        `options.handlers: path ${JSON.stringify(path)} must start with / and not be /healthz or /readyz`,
      );
  const log = quietly(options.log ?? logToConsole);
  const source: CertificateSource =
    "certFile" in certificate
      ? new FileCertificate(certificate, { clock, log })
      : new SecretCertificate(certificate, { clock, log });
  const metrics = new WebhookMetrics(Object.keys(handlers), clock);
  const client = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  const secure = (pair: TlsPair) => ({ cert: pair.cert, key: pair.key, minVersion: "TLSv1.2" as const, ...client });
  let server: Server | undefined;
  let address: ListenAddress;
  const first = await source.open((pair) => server?.setSecureContext(secure(pair)));
  try {
    server = createServer({ ...limits, ...secure(first) });
    server.maxConnections = maxConnections;
    const dispatch = createDispatch({ handlers, metrics, log, clientCa, check: () => source.check() });
    server.on("request", dispatch);
    address = await startListening(server, { name: "webhooks", scheme: "https", port, host });
  } catch (error) {
    await source.close();
    throw error;
  }
  const opened = server;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= Promise.all([closeServer(opened, lastWaitMs), source.close()]).then(() => undefined));
  return {
    name: "webhooks",
    needsLeadership: false,
    stopsLast: true,
    ...address,
    check: () => (opened.listening ? source.check() : "the webhook server is closed"),
    collect: () => metrics.collect(),
    async run({ signal }) {
      await new Promise<void>((resolve) => whenAborted(signal, () => resolve()));
      await close();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface DispatchOptions {
  readonly handlers: Readonly<Record<string, WebhookHandler>>;
  readonly metrics: WebhookMetrics;
  readonly log: Log;
  readonly clientCa: string | undefined;
  readonly check: () => string | undefined;
}

/** Creates the listener for requests. */
function createDispatch(options: DispatchOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { handlers, metrics, log, clientCa, check } = options;
  return (request, response) => {
    const gone = new AbortController();
    whenClosed(response, request.socket, () => gone.abort(new DOMException("the client is gone", "AbortError")));
    const [path = ""] = (request.url ?? "").split("?");
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (path === "/healthz") send(response, 200, "ok");
    else if (path === "/readyz") {
      const problem = check();
      send(response, problem === undefined ? 200 : 503, problem ?? "ok");
    } else if (handler === undefined) send(response, 404, "not found\n");
    else if (clientCa !== undefined && !(request.socket as { readonly authorized?: boolean }).authorized)
      send(response, 401, "a client certificate is required\n");
    else {
      const converted = toFetchRequest(request, gone.signal);
      if (converted === undefined) send(response, 400, "invalid path or host\n");
      else
        void metrics.measure(path, async () => {
          let answer: Response;
          try {
            answer = await handler(converted);
          } catch (error) {
            log({ level: "error", message: `webhooks: ${path} failed`, error });
            answer = new Response("internal server error\n", { status: 500 });
          }
          await sendFetchResponse(answer, response).catch(() => response.destroy());
          return answer.status;
        });
    }
  };
}

function send(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" })
    .end(text);
}
