import type { Codec, CodecTarget } from "../codec/codec.js";
import { ClosedError, ConfigError } from "../errors/errors.js";
import type { Clock } from "../internal/clock.js";
import { defined } from "../internal/defined.js";
import type { Kind, PatchType, Scope } from "../meta/kind.js";
import type { Interceptor, Transport, TransportSocket } from "../transport/transport.js";
import { checkHeader } from "./call/check-header.js";
import { openRawWebSocket, type RawRequest, type RawResponse, sendRaw, type WebSocketRequest } from "./call/raw.js";
import { type CallDefaults, Requester, type Shared } from "./call/requester.js";
import { createShared } from "./call/shared.js";
import { logWarnings } from "./call/warnings.js";
import type { ResourceOf } from "./resource/resource.js";
import { ResourceHandle } from "./resource/resource-handle.js";

/** Options for `createClient`. */
export interface ClientOptions extends CallDefaults {
  /** Transport that sends the requests. `client.close()` closes it. */
  readonly transport: Transport;
  /** Encodings in order of preference. JSON is appended if it is missing. Default: JSON only. */
  readonly codecs?: readonly Codec[] | undefined;
  /**
   * Loads the codec that informers switch to for large collections and busy watches (see
   * `InformerOptions.bulkEncoding`). Called when the first informer of built-in kinds needs it, and when the first of
   * custom resources does. Default: none; unless `codecs` is set, `connect` loads Protobuf for built-in kinds, and for
   * custom resources a JSON codec that stores similar objects as differences.
   */
  readonly bulkCodec?: ((kind: CodecTarget) => Promise<Codec>) | undefined;
  /** Interceptors around every attempt, retries included. The first one is the outermost: it sees the request first. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /**
   * `User-Agent` header. For writes without a field manager, the server uses the part before the first `/` as the field
   * manager's name. Default `kubestream`.
   */
  readonly userAgent?: string | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Random number generator with results in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * A client for one API server.
 *
 * `FieldManager` is `string` for a client with a default field manager: its `apply` needs no `fieldManager` option. A
 * plain `Client` may or may not have one, so its `apply` requires the option.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 *
 * await using client = await connect({ fieldManager: "deployer" });
 * const deployments = client.resource(Deployment).namespace("web");
 * const { items } = await deployments.list({ labelSelector: "app=shop" });
 * console.log(items.map((deployment) => deployment.metadata?.name));
 * ```
 */
export interface Client<FieldManager extends string | undefined = string | undefined> extends AsyncDisposable {
  /** Default field manager for writes; `undefined` if the client has none. */
  readonly fieldManager: FieldManager;
  /**
   * Returns a handle for the objects of a kind. For a namespaced kind it lists and watches all namespaces;
   * `namespace(name)` narrows it to one, where single objects can be read and written.
   */
  resource<T, S extends Scope, Sub extends object, P extends PatchType>(
    kind: Kind<T, S, Sub, P>,
  ): ResourceOf<T, S, Sub, P, FieldManager>;
  /**
   * Sends any HTTP request to the API server: logs, health checks, metrics, discovery. The client's defaults for
   * headers, time limits, retries and warnings apply; its field manager, field validation and dry run don't. Rejects
   * with a `StatusError` for an error response.
   *
   * @example
   * ```ts
   * import { connect } from "kubestream/node";
   *
   * const client = await connect();
   * const response = await client.request({ path: "/readyz", query: { verbose: true }, accept: "text/plain" });
   * console.log(await response.text());
   * ```
   */
  request(request: RawRequest): Promise<RawResponse>;
  /**
   * Opens a WebSocket, such as exec, attach and port-forward use. Rejects with a `ConfigError` if the transport doesn't
   * support WebSockets.
   */
  openWebSocket(request: WebSocketRequest): Promise<TransportSocket>;
  /** Returns a client with different defaults that shares this client's connections. Closing either closes both. */
  derive(defaults: CallDefaults & { readonly fieldManager: string }): Client<string>;
  /** Returns a client with different defaults that shares this client's connections. Closing either closes both. */
  derive(defaults: CallDefaults): Client<FieldManager>;
  /**
   * Ends every call and watch with a `ClosedError` and closes every connection. Informers of this client close;
   * controllers and leader electors that use it fail.
   */
  close(): Promise<void>;
}

/**
 * Creates a client over a transport. In Node, `connect` from `kubestream/node` reads the kubeconfig and calls this for
 * you.
 *
 * Throws a `TypeError` for invalid headers and a `ConfigError` for invalid time limits.
 *
 * @example
 * ```ts
 * import { createClient, fetchTransport } from "kubestream";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * // For example, behind `kubectl proxy`.
 * const client = createClient({ transport: fetchTransport({ url: "http://127.0.0.1:8001" }), timeoutMs: 30_000 });
 * const pods = await client.resource(Pod).namespace("web").list();
 * console.log(pods.items.length);
 * ```
 */
export function createClient(options: ClientOptions & { readonly fieldManager: string }): Client<string>;
export function createClient(options: ClientOptions): Client;
export function createClient(options: ClientOptions): Client {
  const { userAgent = "kubestream", onWarning = logWarnings() } = options;
  const { dryRun, fieldManager, fieldValidation, headers, multiHeaders, timeoutMs, idleTimeoutMs, retry } = options;
  const shared = createShared(options);
  return deriveClient(
    shared,
    merge(
      {},
      {
        dryRun,
        fieldManager,
        fieldValidation,
        headers: { "user-agent": userAgent, ...headers },
        multiHeaders,
        timeoutMs,
        idleTimeoutMs,
        retry,
        onWarning,
      },
    ),
  );
}

function deriveClient(shared: Shared, defaults: CallDefaults): Client {
  const requester = new Requester(shared, defaults);
  const close = async (): Promise<void> => {
    if (!shared.closed) {
      shared.closed = true;
      const reason = new ClosedError("the client was closed");
      shared.inFlight.abort(reason);
      shared.closing.abort(reason);
    }
    await shared.transport.close();
  };
  return {
    fieldManager: defaults.fieldManager,
    resource: <T, S extends Scope, Sub extends object, P extends PatchType>(kind: Kind<T, S, Sub, P>) =>
      new ResourceHandle(requester, kind) as unknown as ResourceOf<T, S, Sub, P>,
    request: (request) => sendRaw(requester, request),
    openWebSocket: (request) => openRawWebSocket(requester, request),
    // Overloads decide the type parameter; at run time both are the same.
    derive: (more: CallDefaults) => deriveClient(shared, merge(defaults, more)) as Client<string>,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function merge(base: CallDefaults, more: CallDefaults): CallDefaults {
  const headers: Record<string, string> = { ...base.headers };
  for (const [name, value] of Object.entries(more.headers ?? {})) {
    const lower = name.toLowerCase();
    checkHeader(lower, value);
    headers[lower] = value;
  }
  const multiHeaders: Record<string, readonly string[]> = { ...base.multiHeaders };
  for (const [name, values] of Object.entries(more.multiHeaders ?? {})) {
    const lower = name.toLowerCase();
    for (const value of values) checkHeader(lower, value);
    multiHeaders[lower] = values;
  }
  if (more.timeoutMs !== undefined && !(more.timeoutMs > 0))
    throw new ConfigError(`timeoutMs must be greater than 0, not ${more.timeoutMs}`);
  if (more.idleTimeoutMs !== undefined && !(more.idleTimeoutMs >= 0))
    throw new ConfigError(`idleTimeoutMs must be at least 0, not ${more.idleTimeoutMs}`);
  return { ...base, ...defined(more), headers, ...(Object.keys(multiHeaders).length > 0 && { multiHeaders }) };
}
