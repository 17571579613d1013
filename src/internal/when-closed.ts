/** The part of a connection or a response that reports its end. */
interface Closable {
  once(event: "close", listener: () => void): unknown;
}

const waiting = new WeakMap<Closable, Set<() => void>>();

/**
 * Calls back once, when a response of Node's HTTP server or its connection has closed. Node reports the end of a
 * connection only to the response that is being sent, and not to those of pipelined requests that wait behind it. Returns
 * a function that cancels the call.
 */
export function whenClosed(
  response: Closable,
  connection: Closable & { readonly destroyed: boolean },
  callback: () => void,
): () => void {
  let callbacks = waiting.get(connection);
  if (callbacks === undefined) {
    // One listener for all requests of the connection.
    const all = new Set<() => void>();
    callbacks = all;
    waiting.set(connection, all);
    connection.once("close", () => {
      waiting.delete(connection);
      for (const each of [...all]) each();
    });
  }
  const known = callbacks;
  const call = (): void => {
    if (known.delete(call)) callback();
  };
  known.add(call);
  response.once("close", call);
  if (connection.destroyed) queueMicrotask(call);
  return () => void known.delete(call);
}
