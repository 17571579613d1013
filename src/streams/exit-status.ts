import { soundStatus } from "../client/call/failure.js";
import { ProtocolError } from "../errors/errors.js";
import { StatusError } from "../errors/status-error.js";
import { utf8Decode } from "../internal/bytes.js";
import type { Status } from "../meta/status.js";

/** How a command ended. */
export interface ExitStatus {
  /** Its exit code; 0 for success. */
  readonly code: number;
  /** What the server said of it. */
  readonly status: Status;
}

/**
 * Reads what the error channel carries at the end. Throws a `StatusError` if the command could not be run, and a
 * `ProtocolError` for what is no Status.
 */
export function readExitStatus(bytes: Uint8Array, action: string): ExitStatus {
  let status: Status;
  try {
    status = JSON.parse(utf8Decode(bytes)) as Status;
  } catch (error) {
    throw new ProtocolError(`${action}: the error channel carries no Status`, { cause: error });
  }
  if (typeof status !== "object" || status === null)
    throw new ProtocolError(`${action}: the error channel carries no Status`);
  if (status.status === "Success") return { code: 0, status };
  status = soundStatus(status, 500, "GET");
  const cause = status.details?.causes?.find((candidate) => candidate.reason === "ExitCode");
  if (status.reason === "NonZeroExitCode" && cause?.message !== undefined && /^-?\d+$/.test(cause.message))
    return { code: Number(cause.message), status };
  throw new StatusError(status, { action });
}
