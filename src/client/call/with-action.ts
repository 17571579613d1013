import { ProtocolError, TransportError } from "../../errors/errors.js";

/** Prefixes a transport or protocol error with the action that failed. Returns other errors unchanged. */
export function withAction(error: unknown, action: string): unknown {
  const prefix = `${action}: `;
  if (error instanceof TransportError && !error.message.startsWith(prefix)) {
    return new TransportError(prefix + error.message, { cause: error, code: error.code });
  }
  if (error instanceof ProtocolError && !error.message.startsWith(prefix)) {
    return new ProtocolError(prefix + error.message, { cause: error, offset: error.offset });
  }
  return error;
}
