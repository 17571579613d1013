import type { Clock } from "../../internal/clock.js";
import { upgradeFailure } from "../../streams/upgrade-failure.js";
import type { TransportRequest } from "../../transport/transport.js";
import type { NodeWebSocket } from "../websocket/websocket.js";
import { beginHandshake } from "../websocket/websocket-handshake.js";
import type { DispatchTarget } from "./dispatch-request.js";
import { describeRequest, dispatchUpgrade } from "./dispatch-request.js";
import { loadPackage } from "./load-package.js";

/**
 * Opens a WebSocket. Rejects with a `StatusError` if the server refuses, and with a `ProtocolError` if its handshake is
 * invalid.
 */
export async function openWebSocket(
  target: DispatchTarget,
  request: TransportRequest,
  protocols: readonly string[],
  clock: Clock,
): Promise<NodeWebSocket> {
  const action = describeRequest(target, request);
  const handshake = beginHandshake(protocols);
  // Load `ws` with the first WebSocket, because most programs open none.
  const { createWebSocket } = await loadPackage("ws", async () => {
    const { createWebSocket, requireFrames } = await import("../websocket/websocket.js");
    requireFrames();
    return { createWebSocket };
  });
  const answer = await dispatchUpgrade(
    { ...target, compression: false },
    { ...request, headers: { ...request.headers, ...handshake.headers } },
    "websocket",
  );
  if (!("socket" in answer)) throw await upgradeFailure(answer, action, clock);
  try {
    const protocol = handshake.check((name) => answer.headers.get(name), action);
    return createWebSocket({ socket: answer.socket, protocol, action, signal: request.signal, clock });
  } catch (error) {
    answer.socket.destroy();
    throw error;
  }
}
