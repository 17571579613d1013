import type { IncomingMessage } from "node:http";
import { ServerResponse as NodeResponse } from "node:http";
import type { Duplex } from "node:stream";
import { systemClock } from "../../internal/clock.js";

/** Maximum size of a request head in bytes, the same as Go's: 1 MiB and some slack. */
export const maxHeadBytes: number = 1024 * 1024 + 4096;

/**
 * Creates a response for a request that Node hands over with its bare socket. Calls `finished` when the socket is free
 * for the next request.
 */
export function responseOver(request: IncomingMessage, socket: Duplex, finished: () => void): NodeResponse {
  const response = new NodeResponse(request);
  response.shouldKeepAlive = request.httpVersionMinor > 0 && !/\bclose\b/i.test(request.headers.connection ?? "");
  response.assignSocket(socket as never);
  response.once("finish", () => {
    response.detachSocket(socket as never);
    if (response.shouldKeepAlive) finished();
    else endSoon(socket);
  });
  return response;
}

/** Milliseconds that a peer has to close its side after it got everything. */
const closeWithinMs = 1_000;

/** Ends a connection, and destroys it if the peer keeps its side open or doesn't read the rest in time. */
export function endSoon(socket: Duplex, readWithinMs = 60_000): void {
  if (socket.destroyed) return;
  const destroy = (): void => void socket.destroy();
  let timer = systemClock.setTimer(destroy, readWithinMs);
  socket.once("close", () => timer.cancel());
  socket.end(() => {
    timer.cancel();
    if (!socket.destroyed) timer = systemClock.setTimer(destroy, closeWithinMs);
  });
}
