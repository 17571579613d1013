import { TransportError } from "../errors/errors.js";
import { StatusError } from "../errors/status-error.js";
import { statusResponse } from "./messages.js";

/** Refusal of a request. The message is for the page. */
export class Refusal extends Error {
  /** HTTP status code. */
  readonly code: number;

  /** Creates a refusal with a status code. */
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Turns an error into the response for a page, with the reason for the audit log. Errors that the page must not see go
 * to `onError`.
 */
export function refusalResponse(
  error: unknown,
  headers: Readonly<Record<string, string>>,
  onError: (error: unknown) => void,
): { readonly response: Response; readonly reason: string } {
  const refusal = error instanceof Refusal ? error : publicRefusal(error);
  if (refusal !== error && refusal.code >= 500) onError(error);
  return { response: statusResponse(refusal.code, refusal.message, headers), reason: refusal.message };
}

function publicRefusal(error: unknown): Refusal {
  // What a cluster answers to a WebSocket. A 401 concerns the credentials of the proxy, not those of the page.
  if (error instanceof StatusError && error.code !== 401) return new Refusal(error.code, error.status.message ?? "");
  if (error instanceof StatusError) return new Refusal(502, credentialsRefused);
  if (error instanceof TransportError) return new Refusal(502, "the cluster can't be reached");
  return new Refusal(500, "the proxy failed");
}

/** Message for a 401 of a cluster, which the page would take for the end of its own session. */
export const credentialsRefused = "the cluster refused the credentials of the proxy";
