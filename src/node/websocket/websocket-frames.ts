import { randomFillSync } from "node:crypto";
import { ProtocolError } from "../../errors/errors.js";

/** Kinds of WebSocket frames (RFC 6455, 5.2). */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** One frame of the peer. */
export interface WebSocketFrame {
  /** Whether the message ends with it. */
  readonly fin: boolean;
  /** What it is. */
  readonly opcode: number;
  /** What it carries. */
  readonly payload: Uint8Array;
}

const maxFrameBytes = 64 * 1024 * 1024;

/** Makes a reader of a server's frames, whatever pieces they arrive in. `push` throws a `ProtocolError` for frames that no server may send. */
export function createFrameReader(): { push(chunk: Uint8Array): readonly WebSocketFrame[] } {
  let held: Buffer = Buffer.alloc(0);

  function take(): WebSocketFrame | undefined {
    if (held.length < 2) return undefined;
    const [first, second] = [held[0]!, held[1]!];
    if ((first & 0x70) !== 0) throw new ProtocolError("the WebSocket uses an extension that was not asked for");
    if ((second & 0x80) !== 0) throw new ProtocolError("the server masks its WebSocket frames");
    const opcode = first & 0x0f;
    const fin = (first & 0x80) !== 0;
    const control = opcode >= 8;
    if (![0, 1, 2, 8, 9, 10].includes(opcode))
      throw new ProtocolError(`the WebSocket carries a frame of unknown kind ${opcode}`);
    if (control && (!fin || (second & 0x7f) > 125))
      throw new ProtocolError("the WebSocket carries a control frame that is too long or in pieces");
    const [length, start] = lengthOf(second & 0x7f);
    if (length === undefined) return undefined;
    if (length > maxFrameBytes)
      throw new ProtocolError(`the WebSocket carries a frame of ${length} bytes, more than ${maxFrameBytes}`);
    if (held.length < start + length) return undefined;
    const payload = held.subarray(start, start + length);
    held = held.subarray(start + length);
    return { fin, opcode, payload };
  }

  function lengthOf(short: number): [number | undefined, number] {
    if (short < 126) return [short, 2];
    if (short === 126) return [held.length < 4 ? undefined : held.readUInt16BE(2), 4];
    return [held.length < 10 ? undefined : Number(held.readBigUInt64BE(2)), 10];
  }

  return {
    push(chunk) {
      held =
        held.length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
          : Buffer.concat([held, chunk]);
      const frames: WebSocketFrame[] = [];
      for (let frame = take(); frame; frame = take()) frames.push(frame);
      return frames;
    },
  };
}

/** Makes one whole frame of a client: masked, as the protocol demands. */
export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(6 + lengthBytes + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  else if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = frame.subarray(2 + lengthBytes, 6 + lengthBytes);
  randomFillSync(mask);
  const start = 6 + lengthBytes;
  for (let index = 0; index < length; index++) frame[start + index] = payload[index]! ^ mask[index & 3]!;
  return frame;
}
