import { createHash, randomBytes } from "node:crypto";
import { ProtocolError } from "../../errors/errors.js";

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The asking half of a WebSocket handshake, and the check of the answer. */
export interface WebSocketHandshake {
  /** Headers to send besides those of the upgrade itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** The subprotocol that the server chose. Throws a `ProtocolError` if the answer does not belong to this handshake. */
  check(header: (name: string) => string | null, action: string): string;
}

/** Begins a handshake that offers the subprotocols, the most wanted first. */
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
        throw new ProtocolError(`${action}: the server switched to another protocol than WebSocket`);
      if (
        header("sec-websocket-accept") !==
        createHash("sha1")
          .update(key + magic)
          .digest("base64")
      )
        throw new ProtocolError(`${action}: the server's WebSocket handshake does not fit`);
      const chosen = header("sec-websocket-protocol") ?? "";
      if (protocols.length > 0 && !protocols.includes(chosen)) {
        throw new ProtocolError(
          `${action}: the server chose ${chosen === "" ? "no subprotocol" : `the subprotocol ${JSON.stringify(chosen)}`}, none of ${protocols.join(", ")}`,
        );
      }
      return chosen;
    },
  };
}
