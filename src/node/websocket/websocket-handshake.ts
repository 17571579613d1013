import { createHash, randomBytes } from "node:crypto";
import { ProtocolError } from "../../errors/errors.js";

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Client side of a WebSocket handshake. */
export interface WebSocketHandshake {
  /** Request headers in addition to those of the upgrade itself. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Checks the response and returns the subprotocol the server chose. Throws a `ProtocolError` if the response doesn't
   * match this handshake.
   */
  check(header: (name: string) => string | null, action: string): string;
}

/** Starts a handshake that offers the subprotocols in order of preference. */
export function beginHandshake(protocols: readonly string[]): WebSocketHandshake {
  const key = randomBytes(16).toString("base64");
  return {
    headers: {
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      ...(protocols.length > 0 && { "sec-websocket-protocol": protocols.join(", ") }),
    },
    check(header, action) {
      if (header("upgrade")?.toLowerCase() !== "websocket")
        throw new ProtocolError(`${action}: the server switched to a protocol other than WebSocket`);
      if (
        header("sec-websocket-accept") !==
        createHash("sha1")
          .update(key + magic)
          .digest("base64")
      )
        throw new ProtocolError(`${action}: the server's WebSocket handshake is invalid`);
      const chosen = header("sec-websocket-protocol") ?? "";
      if (protocols.length > 0 && !protocols.includes(chosen)) {
        throw new ProtocolError(
          `${action}: the server chose ${chosen === "" ? "no subprotocol" : `the subprotocol ${JSON.stringify(chosen)}`}, expected one of ${protocols.join(", ")}`,
        );
      }
      return chosen;
    },
  };
}
