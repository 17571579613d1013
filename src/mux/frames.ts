import { utf8Decode, utf8Encode } from "../internal/bytes.js";

/** WebSocket subprotocol of multiplexed requests. docs/decisions/0019-multiplexed-requests.md specifies it. */
export const muxProtocol = "v1.mux.kubestream";

/** First byte of a frame. */
export const frameTypes = {
  /** Page: begins a stream. The payload is the length of the head, an {@link OpenHead} as JSON, and the request's body. */
  open: 0x01,
  /** Page: grants more bytes of a response. The payload is their number. */
  credit: 0x02,
  /** Page: ends a stream early. */
  cancel: 0x03,
  /** Page: requests a pong. */
  ping: 0x04,
  /** Proxy: begins a response. The payload has its `status` and `headers` as JSON. */
  head: 0x11,
  /** Proxy: bytes of a response. */
  data: 0x12,
  /** Proxy: a response is complete. */
  end: 0x13,
  /** Proxy: a response broke off, or never began. The payload has a `message` as JSON. */
  fail: 0x14,
  /** Proxy: answers a ping. */
  pong: 0x15,
  /** Proxy: the connection ends. The payload has a `message` as JSON. */
  bye: 0x16,
} as const;

/** Request of a stream. */
export interface OpenHead {
  /** Name of the cluster. */
  readonly cluster: string;
  /** HTTP method. */
  readonly method: string;
  /** Path and query in the cluster. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the response that the proxy may send before the first credit. */
  readonly credit: number;
}

/** A decoded frame. */
export interface Frame {
  /** One of {@link frameTypes}; other numbers are possible. */
  readonly type: number;
  /** Number of the stream; 0 concerns the connection. */
  readonly stream: number;
  /** View of the message's bytes. */
  readonly payload: Uint8Array;
}

/** Length of a frame without its payload. */
export const frameHeadBytes = 5;
/** Greatest number of a stream and of a credit. */
export const maxNumber = 0xffff_ffff;

/** Encodes a frame. The payload may be given in two parts. */
export function encodeFrame(type: number, stream: number, payload?: Uint8Array, more?: Uint8Array): Uint8Array {
  const length = frameHeadBytes + (payload?.length ?? 0);
  const frame = new Uint8Array(length + (more?.length ?? 0));
  frame[0] = type;
  viewOf(frame).setUint32(1, stream);
  if (payload !== undefined) frame.set(payload, frameHeadBytes);
  if (more !== undefined) frame.set(more, length);
  return frame;
}

/** Encodes a frame whose payload is a JSON value. */
export function encodeJsonFrame(type: number, stream: number, value: object): Uint8Array {
  return encodeFrame(type, stream, utf8Encode(JSON.stringify(value)));
}

/** Encodes a frame whose payload is a number. */
export function encodeCredit(stream: number, bytes: number): Uint8Array {
  return encodeFrame(frameTypes.credit, stream, numberBytes(bytes));
}

/** Encodes the frame that begins a stream. */
export function encodeOpen(stream: number, head: OpenHead, body: Uint8Array | undefined): Uint8Array {
  const text = utf8Encode(JSON.stringify(head));
  const payload = new Uint8Array(4 + text.length);
  viewOf(payload).setUint32(0, text.length);
  payload.set(text, 4);
  return encodeFrame(frameTypes.open, stream, payload, body);
}

/** Decodes a message; `undefined` if it's too short. */
export function decodeFrame(message: Uint8Array): Frame | undefined {
  if (message.length < frameHeadBytes) return undefined;
  return { type: message[0]!, stream: numberAt(message, 1), payload: message.subarray(frameHeadBytes) };
}

/** Decodes a payload that is a number; `undefined` if it isn't one. */
export function decodeNumber(payload: Uint8Array): number | undefined {
  return payload.length === 4 ? numberAt(payload, 0) : undefined;
}

/** Decodes a payload that is a JSON object; `undefined` if it isn't one. */
export function decodeJson(payload: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(utf8Decode(payload));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Splits the payload of a frame that begins a stream; `undefined` if the lengths contradict each other. */
export function splitOpen(payload: Uint8Array): { readonly head: Uint8Array; readonly body: Uint8Array } | undefined {
  const length = payload.length < 4 ? undefined : numberAt(payload, 0);
  if (length === undefined || length > payload.length - 4) return undefined;
  return { head: payload.subarray(4, 4 + length), body: payload.subarray(4 + length) };
}

function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value);
  return bytes;
}

/** Reads a number. A view for each of many short frames would take longer than the frame. */
function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
