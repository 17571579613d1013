import { StatusError } from "../../../errors/status-error.js";

/** Returns the message of an error for events and conditions: the server's own, without the request that it answers. */
export function serverMessage(error: unknown): string {
  if (error instanceof StatusError && error.status.message) return error.status.message;
  return error instanceof Error ? error.message : String(error);
}
