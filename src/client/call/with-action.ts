import { ProtocolError, TransportError } from "../../errors/errors.js";

/** The same error, saying what was attempted; errors that are not about one request stay as they are. */
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
