import { type LinkedAbort, linkAbort, orAborted } from "../internal/abort.js";
import { systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import { muxProtocol } from "../mux/frames.js";
import type { Transport, TransportRequest } from "../transport/transport.js";
import { type Admitted, createAdmission, type Progress } from "./admission.js";
import { forwardResponse, listResponse, readBody } from "./messages.js";
import { createMuxSession } from "./mux-session.js";
import type { Proxy, ProxyOptions, ProxySocket } from "./proxy.js";
import { credentialsRefused, Refusal, refusalResponse } from "./refusal.js";
import { shareWatches } from "./shared-watches.js";

/** Limit of kube-apiserver. */
const defaultBodyBytes = 3 * 1024 * 1024;

type Headers = Readonly<Record<string, string>>;

/**
 * Creates a proxy between pages and clusters, for dashboards: it keeps the credentials of the clusters on the server,
 * and forwards only what the rules allow. Clusters are served at `/clusters/NAME/`, and `/clusters` lists those
 * that the user may see.
 *
 * Requests of other sites, for unknown host names and with ambiguous paths are refused. Credentials, cookies and
 * impersonation headers of the page don't reach a cluster, and responses bring no cookies and no redirects. Refusals are
 * Status objects, which clients report as a `StatusError`. Throws a `ConfigError` for an invalid option.
 *
 * @example
 * ```ts
 * import { openTransport } from "kubestream/node";
 * import { createProxy, readRules } from "kubestream/proxy";
 *
 * const { transport } = await openTransport({ context: "staging" });
 * export const proxy = createProxy({
 *   clusters: { staging: { transport } },
 *   authenticate: (request) => (request.headers.get("cookie") === "session=1" ? { name: "jane" } : undefined),
 *   allow: [...readRules, { verbs: ["create"], resources: ["pods/exec"], namespaces: ["web"] }],
 * });
 * // A route handler of Hono, Next.js, Bun, Deno and others.
 * export const handler = (request: Request) => proxy.handle(request);
 * ```
 */
export function createProxy(options: ProxyOptions): Proxy {
  const { clock = systemClock } = options;
  const onError = quietly(options.onError);
  const admission = createAdmission(options);
  const { basePath, corsHeaders } = admission;
  const { forward, open } = createForwarder(options);

  async function answer<T extends Response | ProxySocket>(
    request: Request,
    act: (progress: Progress, cors: Headers) => Promise<T>,
  ): Promise<T | Response> {
    const begin = clock.monotonic();
    const progress: Progress = {};
    const cors = corsHeaders(request);
    let refused: string | undefined;
    const result = await act(progress, cors).catch((error: unknown) => {
      // The rejection of a request whose page has left says only that.
      const { response, reason } = refusalResponse(error, cors, request.signal.aborted ? () => undefined : onError);
      refused = reason;
      return response;
    });
    const { user, target } = progress;
    void reportTo(onError, () =>
      options.audit?.({
        user,
        cluster: target?.cluster,
        method: request.method,
        path: target?.path ?? new URL(request.url).pathname,
        info: target?.info,
        status: result instanceof Response ? result.status : 101,
        ...(refused !== undefined && { refused }),
        durationMs: clock.monotonic() - begin,
      }),
    );
    return result;
  }

  const namesAllClusters = ({ url }: Request): boolean =>
    new URL(url).pathname.replace(/\/$/, "") === `${basePath}/clusters`;

  const openMux = async (request: Request, progress: Progress): Promise<ProxySocket> => {
    if (!offeredProtocols(request).includes(muxProtocol))
      throw new Refusal(400, `a WebSocket to all clusters must offer the subprotocol ${muxProtocol}`);
    const { recheck, release } = await admission.admitConnection(request, progress);
    const { bodyBytes = defaultBodyBytes, streams = 1_000, recheckMs = 30_000 } = options.limits ?? {};
    const prefix = `${basePath}/clusters/`;
    const session = { request, prefix, handle, recheck, recheckMs, bodyBytes, maxStreams: streams, clock };
    return { protocol: muxProtocol, socket: createMuxSession({ ...session, onEnd: release }) };
  };

  const handle = (request: Request): Promise<Response> =>
    answer<Response>(request, async (progress, cors) => {
      if (request.method === "OPTIONS" && cors["access-control-allow-origin"] !== undefined)
        return new Response(null, { status: 204, headers: cors });
      if (request.method === "GET" && namesAllClusters(request))
        return listResponse(await admission.visibleClusters(request, progress), cors);
      const admitted = await admission.admit(request, false, progress);
      return forward(request, admitted, cors);
    });

  return {
    handle,
    upgrade: (request) =>
      answer<ProxySocket | Response>(request, async (progress) =>
        namesAllClusters(request)
          ? openMux(request, progress)
          : open(request, await admission.admit(request, true, progress)),
      ),
  };
}

/** Calls a callback, and reports its error, also that of a promise which it returns. */
async function reportTo(onError: (error: unknown) => void, call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    onError(error);
  }
}

/** Sends admitted requests to their clusters. Both functions reject with a refusal or with the error of a transport. */
function createForwarder({ clusters, clock = systemClock, limits = {}, shareWatches: shares = true }: ProxyOptions): {
  forward(request: Request, admitted: Admitted, cors: Headers): Promise<Response>;
  open(request: Request, admitted: Admitted): Promise<ProxySocket>;
} {
  const { bodyBytes = defaultBodyBytes, responseMs = 60_000 } = limits;
  const sharing = new WeakMap<Transport, Transport>();
  const transportTo = (cluster: string): Transport => {
    const { transport } = clusters[cluster]!;
    const known = shares ? sharing.get(transport) : transport;
    if (known !== undefined) return known;
    const shared = shareWatches(transport, clock);
    sharing.set(transport, shared);
    return shared;
  };

  /** Runs `act`, and ends it if it takes too long or fails. `done` gives the request's place back. */
  async function begin<T>(
    { signal }: Request,
    admitted: Admitted,
    act: (link: LinkedAbort, done: () => void) => Promise<T>,
  ): Promise<T> {
    const link = linkAbort(signal);
    // A server that drops the response or the WebSocket of a page that has left gives the place back, too.
    link.onAbort(admitted.release);
    const done = (): void => {
      link.abort();
      admitted.release();
    };
    const late = new Refusal(504, `no response began within ${responseMs} ms`);
    const timer = clock.setTimer(() => link.abort(late), responseMs);
    try {
      return await act(link, done);
    } catch (error) {
      done();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  return {
    forward: (request, admitted, cors) =>
      begin(request, admitted, async (link, done) => {
        // A page that stalls must not keep its place longer than a cluster may.
        const body = await orAborted(readBody(request, bodyBytes), link.signal);
        if (body === undefined) throw new Refusal(413, `the request body is longer than ${bodyBytes} bytes`);
        const transport = transportTo(admitted.target.cluster);
        const sent = upstream(request, admitted, link.signal);
        const response = await transport.send({ ...sent, ...(body.length > 0 && { body }) });
        if (response.status === 401) throw new Refusal(502, credentialsRefused);
        return forwardResponse(response, { cors, empty: request.method === "HEAD", onEnd: done });
      }),
    open: (request, admitted) =>
      begin(request, admitted, async (link, done) => {
        const transport = transportTo(admitted.target.cluster);
        if (transport.connect === undefined) throw new Refusal(400, "the cluster's transport opens no WebSockets");
        const protocols = offeredProtocols(request);
        const sent = { ...upstream(request, admitted, link.signal), upgrade: protocols };
        const socket = await transport.connect(sent, protocols);
        return {
          protocol: socket.protocol,
          socket: {
            protocol: socket.protocol,
            messages: socket.messages,
            send: (message) => socket.send(message),
            close: () => socket.close().finally(done),
          },
        };
      }),
  };
}

function upstream(
  { method }: Request,
  { target, headers, multiHeaders }: Admitted,
  signal: AbortSignal,
): TransportRequest {
  return { method, path: target.path + target.query, headers, multiHeaders, signal };
}

/** Returns the subprotocols of a WebSocket request without a bearer token in them. */
function offeredProtocols(request: Request): string[] {
  return (request.headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "" && !/\.bearer\.authorization\.k8s\.io\./.test(protocol));
}
