import { ClosedError } from "../errors/errors.js";

/** Outgoing direction of a stream. Callers needn't wait for one call before they make the next. */
export interface OrderedWriter {
  /** Sends bytes after those of earlier calls. Rejects with a `ClosedError` after `end`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends the end after the bytes of earlier calls. Later calls return the same promise. */
  end(): Promise<void>;
}

/** Options for `createOrderedWriter`. */
export interface OrderedWriterOptions {
  /** Sends a part. Resolves when more can be sent. */
  readonly sendPart: (part: Uint8Array) => Promise<void>;
  /** Sends the end. */
  readonly sendEnd: () => Promise<void>;
  /** Message of the error for bytes after the end. */
  readonly endedMessage: string;
  /** Resolves when the first part can be sent. Default: at once. */
  readonly ready?: Promise<void> | undefined;
}

/** Longest part, so that large writes don't hold other messages of the connection up. */
const partBytes = 32 * 1024;

/** Creates a writer that sends the parts of large writes one after the other. */
export function createOrderedWriter(options: OrderedWriterOptions): OrderedWriter {
  const { sendPart, sendEnd, endedMessage, ready = Promise.resolve() } = options;
  let last = ready;
  let ended: Promise<void> | undefined;
  const enqueue = (send: () => Promise<void>): Promise<void> => {
    const sent = last.then(send);
    // A failed call doesn't fail the next: the connection reports its own failure.
    last = sent.catch(() => undefined);
    return sent;
  };
  return {
    write(bytes) {
      if (ended !== undefined) return Promise.reject(new ClosedError(endedMessage));
      return enqueue(async () => {
        for (let at = 0; at < bytes.length; at += partBytes) await sendPart(bytes.subarray(at, at + partBytes));
      });
    },
    end: () => (ended ??= enqueue(sendEnd)),
  };
}
