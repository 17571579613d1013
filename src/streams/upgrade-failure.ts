import { failureOf } from "../client/call/failure.js";
import { noteResponse, readResponseInfo } from "../client/call/response-info.js";
import { json } from "../codec/json/json.js";
import { ProtocolError } from "../errors/errors.js";
import type { StatusError } from "../errors/status-error.js";
import type { Clock } from "../internal/clock.js";
import type { TransportResponse } from "../transport/transport.js";

/** Converts a response that refuses a WebSocket into an error. */
export async function upgradeFailure(
  response: TransportResponse,
  action: string,
  clock: Clock,
): Promise<StatusError | ProtocolError> {
  if (response.status < 300)
    return new ProtocolError(`${action}: the server responded with ${response.status} instead of opening a WebSocket`);
  const info = readResponseInfo(response, 1);
  const failure = await failureOf(response, info, { action, method: "GET" }, { readable: [json()], clock });
  noteResponse(failure, info);
  return failure;
}
