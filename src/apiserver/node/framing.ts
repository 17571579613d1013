import type { IncomingMessage } from "node:http";
import { ServerResponse as NodeResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Longest head of a request in bytes, as Go's server has it: a mebibyte and some room. */
export const maxHeadBytes: number = 1024 * 1024 + 4096;

/** A response to a request that Node hands over with its bare socket; calls `finished` when the socket is free for another one. */
export function responseOver(request: IncomingMessage, socket: Duplex, finished: () => void): NodeResponse {
  const response = new NodeResponse(request);
  response.shouldKeepAlive = request.httpVersionMinor > 0 && !/\bclose\b/i.test(request.headers.connection ?? "");
  response.assignSocket(socket as never);
  response.once("finish", () => {
    response.detachSocket(socket as never);
    if (response.shouldKeepAlive) finished();
    else socket.end();
  });
  return response;
}
