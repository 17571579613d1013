import type { ClientHttp2Session, Settings } from "node:http2";
import type { buildConnector, Client, Dispatcher } from "undici";
import { ClosedError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { createLivenessCheck, findHttp2Session, type LivenessCheck, watchStreamEnds } from "./http2-session.js";

/** Options for `createConnectionPool`. */
export interface ConnectionPoolOptions {
  /** Origin of the server: scheme, host and port. */
  readonly origin: string;
  /** Maximum number of connections; absent for no limit. */
  readonly maxConnections?: number | undefined;
  /** True to offer HTTP/2. */
  readonly http2: boolean;
  /** Timeout for the response headers, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** Time to keep an idle connection, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  /** Opens a connection. */
  readonly connector: buildConnector.connector;
  /** undici's `Client`, which is one connection. */
  readonly Client: typeof Client;
  /** Clock of the checks of HTTP/2 connections. */
  readonly clock: Clock;
}

/** Pool of connections to one server. */
export interface ConnectionPool extends Pick<Dispatcher, "dispatch"> {
  /** Accepts no more requests. Resolves when the running ones have ended and every connection is closed. */
  drain(): Promise<void>;
  /** Fails the running requests with `reason`. Resolves when every connection is closed. */
  destroy(reason: Error): Promise<void>;
}

interface Slot {
  readonly client: Client;
  /** Number of running requests. */
  load: number;
  /** Number of concurrent requests it accepts: 1 until the server has agreed to HTTP/2 and named its limit. */
  capacity: number;
  /** Check of an HTTP/2 connection. */
  liveness: LivenessCheck | undefined;
  /** Session of an HTTP/2 connection. */
  session: ClientHttp2Session | undefined;
  /** True while a request runs that can't share the connection. */
  exclusive: boolean;
  /** True if the HTTP/2 stream that ended last was cut off by the server. */
  isCut: boolean;
}

const streamsPerConnection = 100;

/**
 * Uses one connection per running request, and prefers the one that became free last. undici's own pool opens a second
 * connection for back-to-back requests, because it considers a connection busy until the next turn of the event loop.
 * Here the request waits for that turn.
 */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const slots: Slot[] = [];
  const waiting: { request: Dispatcher.DispatchOptions; handler: Dispatcher.DispatchHandler }[] = [];
  const leaving = new Set<Promise<void>>();
  let draining: { promise: Promise<void>; resolve: () => void } | undefined;
  let ended: Error | undefined;

  function open(): Slot {
    const slot = openSlot(options, { onCapacity: serveWaiting, onDead: (dead) => discard(dead, connectionLost()) });
    slots.push(slot);
    // An idle connection expired, or the server closed it.
    slot.client.on("disconnect", () => {
      if (slot.load === 0) discard(slot);
    });
    return slot;
  }

  function freeSlot(request: Dispatcher.DispatchOptions): Slot | undefined {
    const alone = mustBeAlone(request);
    for (let index = slots.length - 1; index >= 0; index--) {
      const slot = slots[index]!;
      // After a frame that breaks the protocol, Node has destroyed the session, but undici would still use it.
      if (slot.session?.destroyed === true) {
        if (slot.load === 0) discard(slot);
        continue;
      }
      if (slot.load === 0 || (!alone && !slot.exclusive && slot.load < slot.capacity)) return slot;
    }
    return options.maxConnections === undefined || slots.length < options.maxConnections ? open() : undefined;
  }

  function run(slot: Slot, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (slot.load++ === 0) slot.liveness?.begin();
    slot.exclusive = mustBeAlone(request);
    return slot.client.dispatch(request, new CountedHandler(slot, handler, over));
  }

  /** Runs when a request has ended, before its handler is called. */
  function over(slot: Slot, how: "end" | "error" | "upgrade"): void {
    if (--slot.load === 0) slot.liveness?.end();
    // After an abort, undici opens a new connection although there is nothing to send: drop the client.
    if (how === "upgrade" || (how === "error" && slot.capacity === 1)) discard(slot);
    serveWaiting();
    if (draining) settleDrain();
  }

  /** Removes a connection. Requests that still run on it fail with `reason`. */
  function discard(slot: Slot, reason: Error | null = null): void {
    const index = slots.indexOf(slot);
    if (index < 0) return;
    slots.splice(index, 1);
    slot.liveness?.end();
    const gone = slot.client.destroy(reason).finally(() => leaving.delete(gone));
    leaving.add(gone);
  }

  function serveWaiting(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const slot = freeSlot(next.request);
      if (slot === undefined) return;
      waiting.shift();
      run(slot, next.request, next.handler);
    }
  }

  function settleDrain(): void {
    if (!draining || slots.some((slot) => slot.load > 0) || waiting.length > 0) return;
    const { resolve } = draining;
    void Promise.all([...slots.map((slot) => slot.client.close()), ...leaving]).then(() => resolve());
  }

  return {
    dispatch(request, handler) {
      if (ended ?? draining) throw ended ?? new ClosedError("the connection pool was replaced");
      const slot = freeSlot(request);
      if (slot) return run(slot, request, handler);
      waiting.push({ request, handler });
      return false;
    },
    drain() {
      if (!draining) {
        let resolve!: () => void;
        const promise = new Promise<void>((settle) => (resolve = settle));
        draining = { promise, resolve };
        settleDrain();
      }
      return draining.promise;
    },
    async destroy(reason) {
      ended ??= reason;
      const left = waiting.splice(0);
      await Promise.all([...slots.map((slot) => slot.client.destroy(reason)), ...leaving]);
      for (const { handler } of left) handler.onResponseError?.(undefined as never, reason);
      draining?.resolve();
    },
  };
}

/**
 * Returns true if a request needs a connection of its own. undici sends a request that isn't idempotent only when the
 * connection is otherwise idle, and next to a watch that never happens.
 */
function mustBeAlone({ method }: Dispatcher.DispatchOptions): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Error of a response that the server cut off. */
function streamReset(): Error {
  return Object.assign(new Error("the server reset the HTTP/2 stream before its end"), {
    code: "ERR_HTTP2_STREAM_CANCEL",
  });
}

/** Error of the requests on an HTTP/2 connection whose server doesn't answer a PING. */
function connectionLost(): Error {
  return Object.assign(new Error("the server did not answer a PING"), { code: "ERR_HTTP2_SESSION_ERROR" });
}

function openSlot(
  options: ConnectionPoolOptions,
  { onCapacity, onDead }: { readonly onCapacity: () => void; readonly onDead: (slot: Slot) => void },
): Slot {
  let socket: Parameters<Parameters<buildConnector.connector>[1]>[1] | undefined;
  const setCapacity = (capacity: number): void => {
    slot.capacity = capacity;
    client.pipelining = capacity;
  };
  const client = new options.Client(options.origin, {
    bodyTimeout: 0,
    headersTimeout: options.headersTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    keepAliveMaxTimeout: 600_000,
    allowH2: options.http2,
    // The check of the connection sends its own.
    pingInterval: 0,
    connect(target, callback) {
      options.connector(target, (...result) => {
        slot.liveness?.end();
        slot.liveness = undefined;
        slot.session = undefined;
        slot.isCut = false;
        socket = result[1] ?? undefined;
        setCapacity(1);
        callback(...result);
      });
    },
  });
  // undici creates the session before this event, and sends the first request after it.
  client.on("connect", () => {
    if (!options.http2 || !socket || !("alpnProtocol" in socket) || socket.alpnProtocol !== "h2") return;
    const session = findHttp2Session(socket);
    if (session === undefined) {
      setCapacity(streamsPerConnection);
      return;
    }
    slot.session = session;
    watchStreamEnds(session, (isCut) => (slot.isCut = isCut));
    // A stream beyond the server's limit would wait for another to end, such as for a watch.
    session.on("remoteSettings", ({ maxConcurrentStreams = streamsPerConnection }: Settings) => {
      setCapacity(Math.max(1, Math.min(streamsPerConnection, maxConcurrentStreams)));
      onCapacity();
    });
    slot.liveness = createLivenessCheck(session, socket, options.clock, () => onDead(slot));
    if (slot.load > 0) slot.liveness.begin();
  });
  const slot: Slot = {
    client,
    load: 0,
    capacity: 1,
    liveness: undefined,
    session: undefined,
    exclusive: false,
    isCut: false,
  };
  return slot;
}

/** Reports the end of a request to the pool and forwards every call to the handler. */
class CountedHandler implements Dispatcher.DispatchHandler {
  readonly #slot: Slot;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #over: (slot: Slot, how: "end" | "error" | "upgrade") => void;
  #running = true;

  constructor(
    slot: Slot,
    handler: Dispatcher.DispatchHandler,
    over: (slot: Slot, how: "end" | "error" | "upgrade") => void,
  ) {
    this.#slot = slot;
    this.#handler = handler;
    this.#over = over;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(...answer: Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>): void {
    this.#handler.onResponseStart?.(...answer);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseEnd"]>>): void {
    this.#release("end");
    if (this.#slot.isCut) this.#handler.onResponseError?.(end[0], streamReset());
    else this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#release("error");
    this.#handler.onResponseError?.(controller, error);
  }

  onRequestUpgrade(...upgrade: Parameters<NonNullable<Dispatcher.DispatchHandler["onRequestUpgrade"]>>): void {
    this.#release("upgrade");
    this.#handler.onRequestUpgrade?.(...upgrade);
  }

  #release(how: "end" | "error" | "upgrade"): void {
    if (!this.#running) return;
    this.#running = false;
    this.#over(this.#slot, how);
  }
}
