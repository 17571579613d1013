/** Messages on their way to one reader, and how they end. */
export interface MessageQueue {
  /** Whether an end or an error is set. */
  readonly ended: boolean;
  /** Error that it ended with, until the reader takes it. */
  readonly failure: Error | undefined;
  /** Whether so much waits that no more should be read. */
  readonly full: boolean;
  /** Adds a message. */
  push(message: Uint8Array): void;
  /** Ends after the messages that wait; with the error, if there is one. The first end counts. */
  end(error?: { readonly error: unknown }): void;
  /** Drops what waits. */
  clear(): void;
  /** Takes the next message, the end or the error, which comes once. */
  next(): Promise<IteratorResult<Uint8Array>>;
}

const fullAbove = 1024 * 1024;

/** Memory of an empty message: without it a peer could send empty ones for ever. */
const messageOverhead = 256;

/** Returns an empty queue; `onRoom` is called when the reader has taken a message and there is room again. */
export function createMessageQueue(onRoom: () => void): MessageQueue {
  const waiting: Uint8Array[] = [];
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
      waiting.length = 0;
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
