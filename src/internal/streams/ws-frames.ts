/** Parser for WebSocket frames. The package `ws` exports it, but its type declarations don't include it. */
export interface FrameReceiver {
  /** Consumes the next bytes of the connection. */
  write(chunk: Uint8Array): boolean;
  /** Registers a listener for complete messages. */
  on(event: "message", listener: (data: Uint8Array, isBinary: boolean) => void): this;
  /** Registers a listener for pings. */
  on(event: "ping", listener: (data: Uint8Array) => void): this;
  /** Registers a listener for the close frame, with its code (1005 without one) and its reason. */
  on(event: "conclude", listener: (code: number, reason: Uint8Array) => void): this;
  /** Registers a listener for the first protocol error, called after the frames before it. */
  on(event: "error", listener: (error: Error) => void): this;
}

/** Options for a `FrameReceiver`. */
export interface FrameReceiverOptions {
  /** True to expect masked frames, as clients send them. */
  readonly isServer: boolean;
  /** Maximum size of a message in bytes. */
  readonly maxPayload: number;
  /** Maximum number of frames per message. */
  readonly maxFragments: number;
  /** Maximum number of chunks that a frame may arrive in. */
  readonly maxBufferedChunks: number;
}

/** Writer for WebSocket frames. */
export interface FrameSender {
  /** Sends a message in one frame. */
  send(
    data: Uint8Array,
    options: { readonly binary: boolean; readonly fin: boolean; readonly mask: boolean; readonly compress: boolean },
  ): void;
  /** Sends a ping. */
  ping(data: Uint8Array, mask: boolean): void;
  /** Sends a pong. `done` is called when it has been written or has failed. */
  pong(data: Uint8Array, mask: boolean, done?: () => void): void;
  /** Sends a close frame, empty without a code. */
  close(code: number | undefined, reason: Uint8Array | undefined, mask: boolean): void;
}

/** Options for one frame. */
export interface FrameOptions {
  readonly opcode: number;
  readonly fin: boolean;
  readonly mask: boolean;
  readonly readOnly: boolean;
}

/** Classes of the package `ws` that read and write frames. */
export interface FrameClasses<Connection> {
  readonly Receiver: new (options: FrameReceiverOptions) => FrameReceiver;
  readonly Sender: {
    new (socket: Connection): FrameSender;
    /** Encodes a frame as one or two arrays. */
    frame(data: Uint8Array, options: FrameOptions): Uint8Array[];
  };
}

/**
 * Maximum number of frames per message: more than any peer needs, and few enough that empty ones can't fill the memory.
 */
export const maxFragments: number = 64 * 1024;

/**
 * Maximum number of chunks per frame: enough for a 64 MiB message over a slow connection, and little memory if each is
 * one byte.
 */
export const maxBufferedChunks: number = 64 * 1024;

/**
 * Returns a handler that answers pings. While a pong is being sent, only the newest ping is kept (RFC 6455, 5.5.3), so
 * a peer that sends pings without reading costs no memory.
 */
export function createPongs(send: (payload: Uint8Array, done: () => void) => void): (payload: Uint8Array) => void {
  let sending = false;
  let newest: Uint8Array | undefined;
  const next = (): void => {
    const payload = newest;
    newest = undefined;
    sending = payload !== undefined;
    if (payload !== undefined) send(payload, next);
  };
  return (payload) => {
    newest = payload;
    if (!sending) next();
  };
}
