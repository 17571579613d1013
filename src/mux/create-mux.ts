import { ClosedError, TransportError } from "../errors/errors.js";
import { linkAbort, onAbort, orAborted } from "../internal/abort.js";
import { type BackoffOptions, backoffDelayMs } from "../internal/backoff.js";
import { type Clock, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Transport, TransportRequest, TransportSocket } from "../transport/transport.js";
import { muxProtocol } from "./frames.js";
import { createMuxConnection, type MuxConnection } from "./mux-connection.js";

/** Options for `createMux`. */
export interface MuxOptions {
  /** Transport to the proxy's list of clusters, such as `fetchTransport({ url: "/clusters" })`. */
  readonly transport: Transport;
  /** Milliseconds of silence after which the connection is checked. Default 15,000. */
  readonly heartbeatMs?: number | undefined;
  /** Milliseconds that the proxy may take to answer such a check. Default 5,000. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds that an attempt to connect may take. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Backoff between attempts to connect. Default: 500 ms, doubled up to 10 s; jitter spreads each delay d over [d, 2d). */
  readonly backoff?: BackoffOptions | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Returns random numbers in [0, 1) for the jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** State of a page's connection. */
export type MuxStatus =
  /** No connection, because no request has needed one yet. */
  | { readonly type: "idle" }
  /** A connection is being opened. */
  | { readonly type: "connecting" }
  /** The connection is open. */
  | { readonly type: "open" }
  /** The connection is gone, and the next request opens another one. */
  | { readonly type: "disconnected"; readonly error: Error }
  /** Requests wait for the next attempt, which begins after `delayMs`, or as soon as the browser is online again. */
  | { readonly type: "waiting"; readonly error: Error; readonly delayMs: number; readonly attempt: number }
  /** `close` was called. */
  | { readonly type: "closed" };

/** One WebSocket for all requests of a page. */
export interface Mux extends AsyncDisposable {
  /**
   * Returns the transport to a cluster. Lists, watches, tables and writes share the WebSocket; commands and ports open
   * one of their own. Closing the transport ends nothing else.
   */
  transport(cluster: string): Transport;
  /** State of the connection. A new object for each change. */
  readonly status: MuxStatus;
  /** Calls `listener` after each change of `status`. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Checks an open connection at once, and ends a wait for the next attempt. Call it when a laptop wakes up. */
  wake(): void;
  /** Ends all requests and closes the WebSocket. */
  close(): Promise<void>;
}

const defaultBackoff: BackoffOptions = { initialMs: 500, factor: 2, capMs: 10_000, jitter: 1 };
const backoffRange = "options.backoff: delays must be positive, and the factor at least 1";

/**
 * Creates a multiplexed connection from a page to a proxy: one WebSocket carries any number of requests to any number
 * of clusters, each with its own flow control. The browser's limit of six connections per server doesn't apply, and
 * users with equal rights share watches in the proxy.
 *
 * The WebSocket opens with the first request. When it breaks, all requests on it fail with a `TransportError`, and
 * informers resume their watches from the last resource version. Connections that died silently, such as after a
 * laptop's sleep, are noticed by a heartbeat, and at once when the browser reports that it's online or visible again.
 * Throws a `RangeError` for numbers out of range.
 *
 * @example
 * ```ts
 * import { createClient, fetchTransport } from "kubestream";
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { createMux } from "kubestream/mux";
 *
 * const mux = createMux({ transport: fetchTransport({ url: "/clusters" }) });
 * mux.subscribe(() => console.log(mux.status.type));
 * for (const cluster of ["east", "west"]) {
 *   const client = createClient({ transport: mux.transport(cluster) });
 *   createInformer(client.resource(Pod)).start();
 * }
 * ```
 */
export function createMux(options: MuxOptions): Mux {
  const { transport, clock = systemClock, random = Math.random } = options;
  const backoff = options.backoff ?? defaultBackoff;
  if (!(backoff.initialMs > 0 && backoff.capMs > 0 && backoff.factor >= 1)) throw new RangeError(backoffRange);
  const heartbeatMs = positive("heartbeatMs", options.heartbeatMs ?? 15_000);
  const deadlineMs = positive("deadlineMs", options.deadlineMs ?? 5_000);
  const connectTimeoutMs = positive("connectTimeoutMs", options.connectTimeoutMs ?? 10_000);
  const listeners = new Set<{ readonly notify: () => void }>();
  const closing = new AbortController();
  let status: MuxStatus = { type: "idle" };
  let connection: MuxConnection | undefined;
  let opening: Promise<MuxConnection> | undefined;
  let failures = 0;
  let lastError: Error | undefined;
  const wait = createWait(clock, closing.signal);

  const show = (next: MuxStatus): void => {
    if (status.type === "closed") return;
    status = next;
    for (const { notify } of [...listeners]) notify();
  };
  const lost = (error: Error): void => {
    failures++;
    lastError = error;
    connection = undefined;
    show({ type: "disconnected", error });
  };

  const open = async (): Promise<MuxConnection> => {
    const error = lastError;
    if (error !== undefined && failures > 0) {
      const delayMs = backoffDelayMs(backoff, failures, random());
      show({ type: "waiting", error, delayMs, attempt: failures });
      await wait.begin(delayMs);
    }
    show({ type: "connecting" });
    // A handshake that is lost on the way gets no answer, and no error either.
    const attempt = linkAbort(closing.signal);
    const timer = clock.setTimer(() => attempt.abort(lateError(connectTimeoutMs)), connectTimeoutMs);
    try {
      const socket = await connectSocket(transport, attempt.signal);
      const onResponse = (): void => void (failures = 0);
      const onEnd = (reason: Error): void => {
        attempt.release();
        lost(reason);
      };
      connection = createMuxConnection({ socket, clock, heartbeatMs, deadlineMs, onResponse, onEnd });
      show({ type: "open" });
      return connection;
    } catch (failure) {
      attempt.release();
      lost(failure instanceof Error ? failure : new Error(String(failure)));
      throw failure;
    } finally {
      timer.cancel();
    }
  };

  const wake = (): void => {
    wait.end();
    connection?.probe();
  };
  const unobserve = observeBrowser(wake);

  const close = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    unobserve();
    const error = new ClosedError("the mux is closed");
    const current = connection;
    closing.abort(error);
    show({ type: "closed" });
    await current?.close(error);
    await opening?.catch(() => undefined);
  };

  const connected = (signal: AbortSignal): Promise<MuxConnection> => {
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason as Error);
    if (connection !== undefined) return Promise.resolve(connection);
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return orAborted(opening, signal);
  };

  return {
    transport: (cluster) => clusterTransport(cluster, transport, connected),
    get status() {
      return status;
    },
    subscribe(listener) {
      const entry = { notify: quietly(listener) };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    wake,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates a wait for the next attempt, which `end` cuts short. It rejects with the signal's reason. */
function createWait(clock: Clock, signal: AbortSignal): { begin(delayMs: number): Promise<void>; end(): void } {
  let end = (): void => undefined;
  return {
    end: () => end(),
    begin: (delayMs) =>
      new Promise((resolve, reject) => {
        // A listener of the status may have closed the mux.
        if (signal.aborted) throw signal.reason;
        const unfollow = onAbort(signal, () => {
          timer.cancel();
          reject(signal.reason as Error);
        });
        end = () => {
          timer.cancel();
          unfollow();
          end = () => undefined;
          resolve();
        };
        // An attempt without a network would fail. The browser may be wrong, so the wait isn't unlimited.
        const longest = isOffline() ? Math.max(delayMs, offlineMs) : delayMs;
        const timer = clock.setTimer(() => end(), longest);
      }),
  };
}

/** Longest wait (ms) for a browser that says that it's offline. */
const offlineMs = 30_000;

function clusterTransport(
  cluster: string,
  transport: Transport,
  connected: (signal: AbortSignal) => Promise<MuxConnection>,
): Transport {
  const closed = linkAbort();
  const check = ({ signal }: TransportRequest): void => {
    if (closed.aborted) throw closed.reason;
    if (signal.aborted) throw signal.reason;
  };
  return {
    async send(request) {
      check(request);
      const connection = await connected(request.signal);
      check(request);
      return connection.send(cluster, request);
    },
    ...(transport.connect !== undefined && {
      async connect(request, protocols) {
        check(request);
        const path = `/${encodeURIComponent(cluster)}${request.path}`;
        return transport.connect!({ ...request, path }, protocols);
      },
    }),
    close() {
      closed.abort(new ClosedError("the transport is closed"));
      return Promise.resolve();
    },
  };
}

/** Opens the WebSocket. Rejects when the signal aborts, also if the transport ignores it. */
function connectSocket(transport: Transport, signal: AbortSignal): Promise<TransportSocket> {
  if (transport.connect === undefined) throw new ClosedError("the transport opens no WebSockets");
  const request: TransportRequest = { method: "GET", path: "/", headers: {}, upgrade: [muxProtocol], signal };
  const opening = transport.connect(request, [muxProtocol]);
  opening.then((socket) => (signal.aborted ? socket.close() : undefined)).catch(() => undefined);
  return orAborted(opening, signal);
}

function lateError(timeoutMs: number): TransportError {
  return new TransportError(`the proxy didn't answer within ${timeoutMs} ms`, { code: "ETIMEDOUT" });
}

function positive(name: string, value: number): number {
  if (!(value > 0)) throw new RangeError(`options.${name} must be greater than 0, not ${value}`);
  return value;
}

function isOffline(): boolean {
  return (globalThis as { navigator?: { readonly onLine?: boolean } }).navigator?.onLine === false;
}

/** Calls back when the browser is online or visible again. Returns a function that unsubscribes. */
function observeBrowser(callback: () => void): () => void {
  const { document } = globalThis as { document?: Document };
  if (document === undefined) return () => undefined;
  const visible = (): void => {
    if (document.visibilityState === "visible") callback();
  };
  globalThis.addEventListener("online", callback);
  document.addEventListener("visibilitychange", visible);
  return () => {
    globalThis.removeEventListener("online", callback);
    document.removeEventListener("visibilitychange", visible);
  };
}
