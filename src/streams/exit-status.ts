import { normalizeStatus } from "../client/call/failure.js";
import { ProtocolError } from "../errors/errors.js";
import { StatusError } from "../errors/status-error.js";
import { utf8Decode } from "../internal/bytes.js";
import type { Status } from "../meta/status.js";

/** Result of a remote command. */
export interface ExitStatus {
  /** Exit code; 0 means success. */
  readonly code: number;
  /** Status that the server reported. */
  readonly status: Status;
}

/**
 * Parses the final message of the error channel. Throws a `StatusError` if the command couldn't run, and a
 * `ProtocolError` if the message isn't a Status.
 */
export function readExitStatus(bytes: Uint8Array, action: string): ExitStatus {
  let status: Status;
  try {
    status = JSON.parse(utf8Decode(bytes)) as Status;
  } catch {
    // The parser's message quotes the text, which may contain secrets.
    throw new ProtocolError(`${action}: the error channel contains no valid Status`);
  }
  if (typeof status !== "object" || status === null)
    throw new ProtocolError(`${action}: the error channel contains no valid Status`);
  if (status.status === "Success") return { code: 0, status };
  status = normalizeStatus(status, 500, "GET");
  const cause = status.details?.causes?.find((candidate) => candidate.reason === "ExitCode");
  if (status.reason === "NonZeroExitCode" && cause?.message !== undefined && /^-?\d+$/.test(cause.message))
    return { code: Number(cause.message), status };
  throw new StatusError(status, { action });
}
