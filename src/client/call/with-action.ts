import { ProtocolError, TransportError } from "../../errors/errors.js";

/** Prefixes a transport or protocol error with the action that failed, unless it names it. Returns other errors unchanged. */
export function withAction(error: unknown, action: string): unknown {
  if (!(error instanceof TransportError || error instanceof ProtocolError)) return error;
  if (error.message.startsWith(action)) return error;
  const message = `${action}: ${error.message}`;
  return error instanceof TransportError
    ? new TransportError(message, { cause: error, code: error.code })
    : new ProtocolError(message, { cause: error, offset: error.offset });
}
