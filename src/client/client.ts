import type { Codec } from "../codec/codec.js";
import { json } from "../codec/json.js";
import { ClosedError, ConfigError } from "../errors/errors.js";
import { AbortGroup } from "../internal/abort.js";
import { type Clock, systemClock } from "../internal/clock.js";
import type { Kind, PatchType, Scope } from "../meta/kind.js";
import { directOf } from "../transport/direct.js";
import type { Interceptor, Transport, TransportSocket } from "../transport/transport.js";
import { checkHeader } from "./call/check-header.js";
import { type ConnectRequest, connectRaw, type RawRequest, type RawResponse, sendRaw } from "./call/raw.js";
import { type CallDefaults, Requester, type Shared } from "./call/requester.js";
import { logWarnings } from "./call/warnings.js";
import type { ManagedResourceOf } from "./resource/managed.js";
import type { ResourceOf } from "./resource/resource.js";
import { ResourceHandle } from "./resource/resource-handle.js";

/** What a client is made of. */
export interface ClientOptions extends CallDefaults {
  /** Carries the requests. The client closes it. */
  readonly transport: Transport;
  /** The encodings in order of preference; JSON is added where it is missing. Default: JSON. */
  readonly codecs?: readonly Codec[];
  /** Wrap the sending of each attempt; the first sees the request first. */
  readonly interceptors?: readonly Interceptor[];
  /** `User-Agent`, whose part before the first `/` also names the field manager of writes that name none. Default `kubestream`. */
  readonly userAgent?: string;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
  /** Where chance comes from, a number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** A client of one API server. */
export interface Client extends AsyncDisposable {
  /** The objects of a kind. */
  resource<T, S extends Scope, Sub extends object, P extends PatchType>(
    kind: Kind<T, S, Sub, P>,
  ): ResourceOf<T, S, Sub, P>;
  /** Sends any request, for what is no object: logs, health, metrics. Of the client's defaults it gets headers, time limit and retries. */
  request(request: RawRequest): Promise<RawResponse>;
  /** Opens a WebSocket: exec, attach, port-forward. Throws a `ConfigError` where the transport has none. */
  connect(request: ConnectRequest): Promise<TransportSocket>;
  /** A client over the same connections with other defaults. Closing either closes both. */
  derive(defaults: CallDefaults & { readonly fieldManager: string }): ManagedClient;
  /** A client over the same connections with other defaults. Closing either closes both. */
  derive(defaults: CallDefaults): Client;
  /** Ends every call and watch with a `ClosedError` and closes every connection. */
  close(): Promise<void>;
}

/** A client that has a field manager: its applies need name none. */
export interface ManagedClient extends Client {
  /** Name under which what it writes is owned. */
  readonly fieldManager: string;
  /** The objects of a kind. */
  resource<T, S extends Scope, Sub extends object, P extends PatchType>(
    kind: Kind<T, S, Sub, P>,
  ): ManagedResourceOf<T, S, Sub, P>;
  /** A client over the same connections with other defaults. Closing either closes both. */
  derive(defaults: CallDefaults): ManagedClient;
}

/** What a decorator makes of a client. */
export type Decorated<C extends Client> = C extends ManagedClient ? ManagedClient : Client;

/** Makes a client. Throws a `TypeError` for headers that cannot be sent, and a `ConfigError` for time limits that make no sense. */
export function createClient(options: ClientOptions & { readonly fieldManager: string }): ManagedClient;
export function createClient(options: ClientOptions): Client;
export function createClient(options: ClientOptions): Client {
  const { transport, interceptors = [], userAgent = "kubestream", clock = systemClock, random = Math.random } = options;
  const {
    dryRun,
    fieldManager,
    fieldValidation,
    headers,
    multiHeaders,
    timeoutMs,
    idleTimeoutMs,
    retry,
    onWarning = logWarnings(),
  } = options;
  const codecs = [...(options.codecs ?? [])];
  if (!codecs.some((codec) => codec.mediaType === "application/json")) codecs.push(json());
  const wrap = (send: Transport["send"]): Transport["send"] =>
    interceptors.reduceRight((next, interceptor) => interceptor(next), send);
  const shared: Shared = {
    transport,
    send: wrap((request) => transport.send(request)),
    wrap,
    sendDirect: interceptors.length === 0 ? directOf(transport) : undefined,
    codecs,
    clock,
    random,
    inFlight: new AbortGroup(),
    refused: new Set(),
    closed: false,
  };
  return clientOf(
    shared,
    merge(
      {},
      {
        ...(dryRun && { dryRun }),
        ...(fieldManager !== undefined && { fieldManager }),
        ...(fieldValidation && { fieldValidation }),
        headers: { "user-agent": userAgent, ...headers },
        ...(multiHeaders && { multiHeaders }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
        ...(retry !== undefined && { retry }),
        onWarning,
      },
    ),
  );
}

function clientOf(shared: Shared, defaults: CallDefaults): Client {
  const requester = new Requester(shared, defaults);
  const close = async (): Promise<void> => {
    if (!shared.closed) {
      shared.closed = true;
      const reason = new ClosedError("the client was closed");
      shared.inFlight.abort(reason);
    }
    await shared.transport.close();
  };
  return {
    ...(defaults.fieldManager !== undefined && { fieldManager: defaults.fieldManager }),
    resource: <T, S extends Scope, Sub extends object, P extends PatchType>(kind: Kind<T, S, Sub, P>) =>
      new ResourceHandle(requester, kind) as unknown as ResourceOf<T, S, Sub, P>,
    request: (request) => sendRaw(requester, request),
    connect: (request) => connectRaw(requester, request),
    // The type of what this answers depends on the argument.
    derive: (more: CallDefaults) => clientOf(shared, merge(defaults, more)) as ManagedClient,
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
  return { ...base, ...more, headers, ...(Object.keys(multiHeaders).length > 0 && { multiHeaders }) };
}
