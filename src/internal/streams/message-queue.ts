import { Fifo } from "./fifo.js";

/** Queue of messages for one reader, including how it ends. */
export interface MessageQueue {
  /** True once an end or an error is set. */
  readonly ended: boolean;
  /** Error that ended the queue, until the reader takes it. */
  readonly failure: Error | undefined;
  /** True if the queue holds so much that the socket should pause. */
  readonly full: boolean;
  /** Memory of the waiting messages in bytes. */
  readonly bytes: number;
  /** Adds a message. */
  push(message: Uint8Array): void;
  /** Ends the queue after the waiting messages, optionally with an error. Only the first call counts. */
  end(error?: { readonly error: unknown }): void;
  /** Drops the waiting messages. */
  clear(): void;
  /** Takes the next message, the end, or the error, which is delivered once. */
  next(): Promise<IteratorResult<Uint8Array>>;
}

const fullAbove = 1024 * 1024;

/** Assumed memory of an empty message, so that a peer can't send an unlimited number of them. */
const messageOverhead = 256;

/** Returns an empty queue. `onRoom` is called after each message the reader takes while the queue isn't full. */
export function createMessageQueue(onRoom: () => void): MessageQueue {
  const waiting = new Fifo<Uint8Array>();
  let bytes = 0;
  let outcome: { readonly error: unknown } | "end" | undefined;
  let reader: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void } | undefined;

  return {
    get ended() {
      return outcome !== undefined;
    },
    get failure() {
      return typeof outcome === "object" ? (outcome.error as Error) : undefined;
    },
    get full() {
      return bytes > fullAbove;
    },
    get bytes() {
      return bytes;
    },
    push(message) {
      if (reader) {
        const { resolve } = reader;
        reader = undefined;
        resolve({ done: false, value: message });
        return;
      }
      waiting.push(message);
      bytes += message.length + messageOverhead;
    },
    end(error) {
      if (outcome !== undefined) return;
      outcome = error ?? "end";
      if (!reader) return;
      const { resolve, reject } = reader;
      reader = undefined;
      if (error) reject(error.error);
      else resolve({ done: true, value: undefined });
    },
    clear() {
      waiting.clear();
      bytes = 0;
    },
    next() {
      const message = waiting.shift();
      if (message) {
        bytes -= message.length + messageOverhead;
        if (bytes <= fullAbove) onRoom();
        return Promise.resolve({ done: false, value: message });
      }
      return new Promise((resolve, reject) => {
        if (outcome === undefined) reader = { resolve, reject };
        else if (outcome === "end") resolve({ done: true, value: undefined });
        else {
          const { error } = outcome;
          outcome = "end";
          reject(error);
        }
      });
    },
  };
}
