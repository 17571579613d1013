/** Reads frames. The package `ws` exports it, but its type declarations leave it out. */
export interface FrameReceiver {
  /** Takes the next bytes of the connection. */
  write(chunk: Uint8Array): boolean;
  /** Calls the listener for each whole message. */
  on(event: "message", listener: (data: Uint8Array, isBinary: boolean) => void): this;
  /** Calls the listener for each ping. */
  on(event: "ping", listener: (data: Uint8Array) => void): this;
  /** Calls the listener for the close frame: its code, 1005 without one, and its reason. */
  on(event: "conclude", listener: (code: number, reason: Uint8Array) => void): this;
  /** Calls the listener for the first breach of the protocol, after the frames before it. */
  on(event: "error", listener: (error: Error) => void): this;
}

/** Options of a `FrameReceiver`. */
export interface FrameReceiverOptions {
  /** Expects masked frames, as clients send them. */
  readonly isServer: boolean;
  /** Longest message in bytes. */
  readonly maxPayload: number;
  /** Most frames of one message. */
  readonly maxFragments: number;
  /** Most pieces of the connection that one frame may arrive in. */
  readonly maxBufferedChunks: number;
}

/** Writes frames to a connection. */
export interface FrameSender {
  /** Sends a message in one frame. */
  send(
    data: Uint8Array,
    options: { readonly binary: boolean; readonly fin: boolean; readonly mask: boolean; readonly compress: boolean },
  ): void;
  /** Sends a ping. */
  ping(data: Uint8Array, mask: boolean): void;
  /** Sends a pong; `done` is called when it has left this process, or never will. */
  pong(data: Uint8Array, mask: boolean, done?: () => void): void;
  /** Sends a close frame, empty without a code. */
  close(code: number | undefined, reason: Uint8Array | undefined, mask: boolean): void;
}

/** Options of one frame. */
export interface FrameOptions {
  readonly opcode: number;
  readonly fin: boolean;
  readonly mask: boolean;
  readonly readOnly: boolean;
}

/** The parts of the package `ws` that read and write frames. */
export interface FrameClasses<Connection> {
  readonly Receiver: new (options: FrameReceiverOptions) => FrameReceiver;
  readonly Sender: {
    new (socket: Connection): FrameSender;
    /** Returns a frame in one or two pieces. */
    frame(data: Uint8Array, options: FrameOptions): Uint8Array[];
  };
}

/** Most frames of one message: more than any peer needs, and few enough that empty ones fill no memory. */
export const maxFragments: number = 64 * 1024;

/** Most pieces that one frame may arrive in: those of a 64 MiB message over a slow connection, and little memory where each is one byte. */
export const maxBufferedChunks: number = 64 * 1024;

/**
 * Returns what answers pings: each at once, but while a pong waits to be sent only the newest of those that came since (RFC 6455, 5.5.3).
 * A peer that sends pings and reads nothing so costs no memory.
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
