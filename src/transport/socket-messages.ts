import { TransportError } from "../errors/errors.js";
import type { MessageQueue } from "../internal/streams/message-queue.js";

/** Returns the error for the code and the reason of a closed WebSocket, `undefined` for a normal close. */
export function closeFailure(action: string, code: number, reason: string): { readonly error: unknown } | undefined {
  if (code === 1000 || code === 1001 || code === 1005) return undefined;
  const line = reason.replace(/[^\x20-\x7e]+/g, " ").trim();
  const message = `${action}: the peer closed the WebSocket with code ${code}${line === "" ? "" : `: ${line}`}`;
  return { error: new TransportError(message, { code: String(code) }) };
}

/** Returns an iterator over the messages. Leaving it closes the connection. */
export function iterateMessages(queue: MessageQueue, close: () => Promise<void>): AsyncIterableIterator<Uint8Array> {
  const messages: AsyncIterableIterator<Uint8Array> = {
    next: () => queue.next(),
    async return() {
      queue.clear();
      await close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => messages,
  };
  return messages;
}
