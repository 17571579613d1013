import type { EventEmitter } from "node:events";
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { systemClock, type Timer } from "../../internal/clock.js";
import type { Defaulted } from "../../internal/defined.js";

/** Time limits of a listener, for clients that stall. All are in milliseconds. */
export interface ListenTimeouts {
  /**
   * Time for the first byte and the TLS handshake together, and for each request head. Default: 30,000.
   */
  readonly headMs?: number | undefined;
  /** Time for a whole request, from its first byte to the end of its body. Default: 60,000. */
  readonly requestMs?: number | undefined;
  /** Time that a connection may stay open without a request in progress. Default: 120,000. */
  readonly idleMs?: number | undefined;
}

/** `ListenTimeouts` with the defaults filled in. */
export type TimeLimits = Defaulted<ListenTimeouts>;

/** Fills in the defaults. The limit for a head is at most the one for its request. */
export function timeLimits({ headMs = 30_000, requestMs = 60_000, idleMs = 120_000 }: ListenTimeouts): TimeLimits {
  return { headMs: Math.min(headMs, requestMs), requestMs, idleMs };
}

/** Ends connections that don't get through their TLS handshake, or don't send a first byte. */
export interface Openings {
  /** Starts the limit for a new connection. */
  start(socket: Socket): void;
  /** Ends the limit, because the connection speaks HTTP now. Accepts the connection or its TLS socket. */
  done(socket: Socket): void;
}

/** Creates `Openings` whose connections have `headMs`. */
export function createOpenings(headMs: number): Openings {
  // A TLS socket doesn't expose the connection below it, but has the same addresses.
  const timers = new Map<string, Timer>();
  const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ""} ${remotePort ?? ""}`;
  return {
    start(socket) {
      const key = keyOf(socket);
      const timer = systemClock.setTimer(() => socket.destroy(), headMs);
      timers.set(key, timer);
      socket.once("close", () => {
        timer.cancel();
        if (timers.get(key) === timer) timers.delete(key);
      });
    },
    done(socket) {
      const key = keyOf(socket);
      timers.get(key)?.cancel();
      timers.delete(key);
    },
  };
}

/** Limits the time of HTTP/2 sessions without a stream, and of request bodies. */
export function limitHttp2(http2: Http2Server, { requestMs, idleMs }: TimeLimits): void {
  http2.on("session", (session: ServerHttp2Session) => {
    let open = 0;
    let idleSince = systemClock.monotonic();
    // One timer per session, instead of a new one after each stream.
    const check = (): void => {
      const leftMs = open > 0 ? idleMs : idleSince + idleMs - systemClock.monotonic();
      if (leftMs > 0) idle = systemClock.setTimer(check, leftMs);
      else session.destroy();
    };
    let idle = systemClock.setTimer(check, idleMs);
    session.once("close", () => idle.cancel());
    (session as EventEmitter).on("stream", (stream: ServerHttp2Stream, _headers: unknown, flags: number) => {
      open++;
      const endOfStream = 1;
      stream.once("close", () => {
        open--;
        idleSince = systemClock.monotonic();
      });
      if ((flags & endOfStream) !== 0) return;
      const body = systemClock.setTimer(() => stream.destroy(), requestMs);
      stream.once("end", () => body.cancel());
      stream.once("close", () => body.cancel());
    });
  });
}
