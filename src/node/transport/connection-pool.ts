import type { buildConnector, Client, Dispatcher } from "undici";
import { ClosedError } from "../../errors/errors.js";

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
  /** Number of concurrent requests it accepts: 1 until the server has agreed to HTTP/2. */
  capacity: number;
  /** True while a request runs that can't share the connection. */
  exclusive: boolean;
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
    const slot = openSlot(options);
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
      if (slot.load === 0 || (!alone && !slot.exclusive && slot.load < slot.capacity)) return slot;
    }
    return options.maxConnections === undefined || slots.length < options.maxConnections ? open() : undefined;
  }

  function run(slot: Slot, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    slot.load++;
    slot.exclusive = mustBeAlone(request);
    return slot.client.dispatch(request, new CountedHandler(slot, handler, over));
  }

  /** Runs when a request has ended, before its handler is called. */
  function over(slot: Slot, how: "end" | "error" | "upgrade"): void {
    slot.load--;
    // After an abort, undici opens a new connection although there is nothing to send: drop the client.
    if (how === "upgrade" || (how === "error" && slot.capacity === 1)) discard(slot);
    afterRelease();
  }

  function discard(slot: Slot): void {
    const index = slots.indexOf(slot);
    if (index < 0) return;
    slots.splice(index, 1);
    const gone = slot.client.destroy().finally(() => leaving.delete(gone));
    leaving.add(gone);
  }

  function afterRelease(): void {
    const next = waiting[0];
    const slot = next && freeSlot(next.request);
    if (slot) {
      waiting.shift();
      run(slot, next.request, next.handler);
      return;
    }
    if (draining) settleDrain();
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

function openSlot(options: ConnectionPoolOptions): Slot {
  const client = new options.Client(options.origin, {
    bodyTimeout: 0,
    headersTimeout: options.headersTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    keepAliveMaxTimeout: 600_000,
    allowH2: options.http2,
    connect(target, callback) {
      options.connector(target, (...result) => {
        const socket = result[1];
        slot.capacity =
          options.http2 && socket && "alpnProtocol" in socket && socket.alpnProtocol === "h2"
            ? streamsPerConnection
            : 1;
        client.pipelining = slot.capacity;
        callback(...result);
      });
    },
  });
  const slot: Slot = { client, load: 0, capacity: 1, exclusive: false };
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
    this.#handler.onResponseEnd?.(...end);
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
