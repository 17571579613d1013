import { connect as connectTcp } from "node:net";
import type { WebSocket } from "ws";

/** Stream that a client opened. */
interface OpenedStream {
  readonly id: number;
  readonly fin: boolean;
  readonly headers: Record<string, string>;
}

const uint32 = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((value) => Uint8Array.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255])),
  );
const control = (type: number, payload: Uint8Array, flags = 0): Buffer =>
  Buffer.concat([uint32(0x80030000 + type, (flags << 24) + payload.length), payload]);

/**
 * Server frames for tests that send them one by one. The headers of a reply don't matter; these are empty and
 * compressed.
 */
export const frames = {
  reply: (stream: number): Buffer =>
    control(2, Buffer.concat([uint32(stream), Buffer.from("78bbe3c6a7c2626060600000000000ffff", "hex")])),
  data: (stream: number, data: string | Uint8Array, fin = false): Buffer => {
    const bytes = Buffer.from(data as string);
    return Buffer.concat([uint32(stream, ((fin ? 1 : 0) << 24) + bytes.length), bytes]);
  },
  reset: (stream: number): Buffer => control(3, uint32(stream, 5)),
  ping: (id: number): Buffer => control(6, uint32(id)),
  goAway: (): Buffer => control(7, uint32(3, 0)),
  windowUpdate: (): Buffer => control(9, uint32(3, 100)),
};

/**
 * Parses the client's frames: `open ID HEADERS`, `data ID BYTES`, `reset ID`, `ping ID`. `fin` marks the last frame of
 * a stream.
 */
export function readFrames(
  onFrame: (kind: string, id: number, fin: boolean, payload: Buffer, opened?: OpenedStream) => void,
): (message: Buffer) => void {
  let held = Buffer.alloc(0);
  let first = true;
  return (message) => {
    held = Buffer.concat([held, message]);
    while (held.length >= 8 && held.length >= 8 + held.readUIntBE(5, 3)) {
      const [word, fin, length] = [held.readUInt32BE(0), (held[4]! & 1) !== 0, held.readUIntBE(5, 3)];
      const payload = held.subarray(8, 8 + length);
      held = held.subarray(8 + length);
      if (word < 0x80000000) onFrame("data", word, fin, payload);
      else if (word === 0x80030001) {
        const opened = { id: payload.readUInt32BE(0), fin, headers: readHeaders(payload.subarray(10), first) };
        first = false;
        onFrame("open", opened.id, fin, payload, opened);
      } else
        onFrame(
          word === 0x80030003 ? "reset" : word === 0x80030006 ? "ping" : `type ${String(word & 0xffff)}`,
          payload.readUInt32BE(0),
          fin,
          payload,
        );
    }
  };
}

/** Decodes headers in stored blocks of a zlib stream, which refers to SPDY's dictionary by its checksum. */
function readHeaders(block: Buffer, first: boolean): Record<string, string> {
  if (first && block.subarray(0, 6).toString("hex") !== "78bbe3c6a7c2")
    throw new Error("not the beginning of a zlib stream with SPDY's dictionary");
  let rest = block.subarray(first ? 6 : 0);
  const blocks: Buffer[] = [];
  while (rest.length > 0) {
    const length = rest.readUInt16LE(1);
    if (rest[0] !== 0 || (length ^ rest.readUInt16LE(3)) !== 0xffff) throw new Error("not a stored block");
    blocks.push(rest.subarray(5, 5 + length));
    rest = rest.subarray(5 + length);
  }
  if (blocks.at(-1)?.length !== 0) throw new Error("the end of the headers is not flushed");
  const text = Buffer.concat(blocks);
  const parts: string[] = [];
  for (let at = 4; at < text.length; at += 4 + text.readUInt32BE(at))
    parts.push(text.toString("utf8", at + 4, at + 4 + text.readUInt32BE(at)));
  if (parts.length !== 2 * text.readUInt32BE(0)) throw new Error("another number of headers than was said");
  return Object.fromEntries(Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at]!, parts[2 * at + 1]!]));
}

/**
 * Forwards to local ports with SPDY over the WebSocket, and half-closes connections. Port 1 fails like with a kubelet.
 */
export function tunnel(webSocket: WebSocket): void {
  const ids: Record<string, number> = {};
  let upstream: ReturnType<typeof connectTcp> | undefined;
  const send = (...all: Buffer[]): void => webSocket.send(Buffer.concat(all));
  const read = readFrames((kind, id, fin, payload, opened) => {
    if (opened) {
      ids[opened.headers["streamtype"]!] = id;
      send(frames.reply(id));
      if (opened.headers["streamtype"] !== "data") return;
      const port = Number(opened.headers["port"]);
      upstream = connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true });
      upstream.on("data", (data) => send(frames.data(id, data)));
      upstream.on("end", () => send(frames.data(id, "", true), frames.data(ids["error"]!, "", true)));
      upstream.on("error", (error) =>
        send(
          frames.data(ids["error"]!, `an error occurred forwarding ${String(port)}: ${error.message}`),
          frames.reset(id),
          frames.reset(ids["error"]!),
        ),
      );
      return;
    }
    if (id !== ids["data"]) return;
    if (kind === "data") upstream?.write(payload);
    if (fin) upstream?.end();
    if (kind === "reset") upstream?.destroy();
  });
  webSocket.on("message", (data: Buffer) => read(data));
  webSocket.on("close", () => upstream?.destroy());
}
