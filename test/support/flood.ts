import type { Duplex } from "node:stream";

/**
 * Sends a piece as fast as the peer reads, until the peer leaves. Cuts the connection after `most` bytes, which are more
 * than the buffers of both sides.
 */
export function flood(socket: Duplex, piece: Buffer, most: number): void {
  let left = most;
  const more = (): void => {
    while (!socket.destroyed && left > 0) {
      left -= piece.length;
      if (!socket.write(piece)) return void socket.once("drain", more);
    }
    if (!socket.destroyed) socket.destroy(new Error("the client read all of it"));
  };
  more();
}
