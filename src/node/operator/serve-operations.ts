import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Manager } from "../../controller/manager/manager.js";
import { collectMetrics, type MetricParts } from "../../controller/metrics/collect-metrics.js";
import { formatMetrics } from "../../controller/metrics/format-metrics.js";
import { type Log, logToConsole } from "../../controller/reconcile/controller-log.js";
import { quietly } from "../../internal/quietly.js";
import { metricMediaTypes } from "../../internal/telemetry/metrics.js";
import { checkListenPort, closeServer, startListening } from "../serving/listening.js";
import { type HealthEndpoint, respondHealth } from "./health-endpoint.js";
import { createProcessMetrics } from "./process-metrics.js";
import { createProfiler, type Profiler } from "./profiling.js";

/** Options for `serveOperations`. */
export interface OperationsOptions {
  /** Port to listen on; 0 picks a free one. Default 8080. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: all interfaces, because a kubelet and Prometheus connect from outside the pod. */
  readonly host?: string | undefined;
  /**
   * Metrics in addition to those of the manager and the process, such as `{ sources: [createRequestMetrics()] }`, or
   * `false` for no `/metrics`.
   */
  readonly metrics?: false | Omit<MetricParts, "manager"> | undefined;
  /**
   * True to serve profiles to requests from this machine, such as `kubectl port-forward`; a token to serve them to
   * requests with it. Profiles show code and data of the process. Default `false`.
   */
  readonly profiling?: boolean | { readonly token: string } | undefined;
  /** Time limit in milliseconds for each health check, after which it fails. Default 10,000. */
  readonly checkTimeoutMs?: number | undefined;
  /** Receives log entries: errors, and health checks that begin or cease to fail. Default: `logToConsole`. */
  readonly log?: Log | undefined;
}

/** A running operations server. */
export interface OperationsServer extends AsyncDisposable {
  /** Base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Port that the server listens on. */
  readonly port: number;
  /** Closes the server. Responses in progress have a second to end. */
  close(): Promise<void>;
}

/** Time that responses have to end after a close. */
const lastWaitMs = 1_000;
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 5_000,
};
const maxConnections = 100;
/** Time without progress after which a connection is closed. Longer than a CPU profile. */
const silenceMs = 90_000;

/**
 * Serves a manager's health, readiness and metrics over HTTP until the manager has stopped:
 *
 * - `/healthz` and `/readyz` respond with `ok` or the status 500. `?verbose` lists the checks, `?exclude=name` leaves one
 *   out, and `/readyz/name` runs a single one and shows why it fails.
 * - `/metrics` has `collectMetrics` of the manager and the process, as Prometheus text or OpenMetrics.
 * - `/debug/profile?seconds=10` (a CPU profile) and `/debug/heap` (a heap snapshot) for Chrome's developer tools, if
 *   `profiling` is set.
 *
 * Call it before `manager.run`, so that probes see the start. Rejects with a `KubestreamError` if the port can't be
 * opened, and throws a `RangeError` or `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import { createController, createManager } from "kubestream/controller";
 * import { createRequestMetrics } from "kubestream/interceptors";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect, serveOperations } from "kubestream/node";
 *
 * const requests = createRequestMetrics({ host: () => new URL(client.server).host });
 * const client = await connect({ interceptors: [requests.interceptor] });
 * const sync = createController({ name: "sync", for: client.resource(ConfigMap), reconcile: () => undefined });
 * const manager = createManager({ controllers: [sync] });
 * await serveOperations(manager, { port: 8080, metrics: { sources: [requests] } });
 * await manager.run({ signal: AbortSignal.timeout(60_000) });
 * ```
 */
export async function serveOperations(manager: Manager, options: OperationsOptions = {}): Promise<OperationsServer> {
  const { port = 8080, host } = options;
  checkListenPort(port);
  const log = quietly(options.log ?? logToConsole);
  const respond = createResponder(manager, options, log);
  const server = createServer(limits, (request, response) => {
    // Requests have no body that matters.
    request.resume();
    respond(request, response).catch((error: unknown) => {
      if (!response.destroyed)
        log({ level: "error", message: `operations server: ${request.url ?? ""} failed`, error });
      if (response.headersSent) response.destroy();
      else send(response, 500, "internal server error\n");
    });
  });
  server.maxConnections = maxConnections;
  server.timeout = silenceMs;
  const address = await startListening(server, { name: "operations server", scheme: "http", port, host });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeServer(server, lastWaitMs));
  manager.done.then(close, async (error: unknown) => {
    log({ level: "error", message: "the manager failed, closing the operations server", error });
    await close();
  });
  return {
    ...address,
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Responder = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function createResponder(manager: Manager, options: OperationsOptions, log: Log): Responder {
  const { metrics = {}, profiling = false, checkTimeoutMs: timeoutMs = 10_000 } = options;
  const health: Readonly<Record<string, HealthEndpoint>> = {
    healthz: { name: "healthz", timeoutMs, run: (checks) => manager.health(checks) },
    readyz: { name: "readyz", timeoutMs, run: (checks) => manager.readiness(checks) },
  };
  const profiler: Profiler | undefined = profiling === false ? undefined : createProfiler(profiling);
  const sources = metrics === false ? [] : [createProcessMetrics(), ...(metrics.sources ?? [])];
  const failing = new Set<string>();
  return async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      send(response, 405, "method not allowed\n");
      return;
    }
    const url = parseUrl(request.url ?? "");
    const [, first = "", rest] = /^\/([^/]*)(?:\/(.*))?$/.exec(url?.pathname ?? "") ?? [];
    const endpoint = Object.hasOwn(health, first) ? health[first] : undefined;
    if (url === undefined) send(response, 400, "invalid path\n");
    else if (endpoint !== undefined) {
      const { status, text } = await respondHealth(endpoint, nameIn(rest), url.searchParams);
      if (rest === undefined) logChange(endpoint.name, status, { failing, log, text });
      send(response, status, text);
    } else if (url.pathname === "/metrics" && metrics !== false) {
      const format = /\bapplication\/openmetrics-text\b/.test(request.headers.accept ?? "")
        ? "openmetrics"
        : "prometheus";
      const text = formatMetrics(collectMetrics({ ...metrics, manager, sources }), { format });
      send(response, 200, text, metricMediaTypes[format]);
    } else if (first === "debug" && profiler !== undefined) await profiler.respond(request, response, url);
    else send(response, 404, "not found\n");
  };
}

function parseUrl(path: string): URL | undefined {
  try {
    return path.startsWith("/") ? new URL(`http://server${path}`) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the name of a check in a path. */
function nameIn(rest: string | undefined): string | undefined {
  if (rest === undefined || rest === "") return undefined;
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

/** Logs when an endpoint begins or ceases to fail, because probes come every few seconds. */
function logChange(
  name: string,
  status: number,
  { failing, log, text }: { readonly failing: Set<string>; readonly log: Log; readonly text: string },
): void {
  if (status === 200) {
    if (failing.delete(name)) log({ level: "info", message: `${name}: passes again` });
  } else if (!failing.has(name)) {
    failing.add(name);
    const failed = Array.from(text.matchAll(/^\[-\](.*) failed: /gm), ([, check]) => check!);
    log({ level: "warn", message: `${name}: failed: ${failed.join(", ")}` });
  }
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response
    .writeHead(status, { "content-type": type, "x-content-type-options": "nosniff", "cache-control": "no-store" })
    .end(text);
}
