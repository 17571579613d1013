import { failureOf } from "../client/call/failure.js";
import { readResponseInfo } from "../client/call/response-info.js";
import { json } from "../codec/json/json.js";
import { ProtocolError } from "../errors/errors.js";
import type { StatusError } from "../errors/status-error.js";
import type { Clock } from "../internal/clock.js";
import type { TransportResponse } from "../transport/transport.js";

/** Converts a response that refuses a WebSocket into an error. */
export function upgradeFailure(
  response: TransportResponse,
  action: string,
  clock: Clock,
): Promise<StatusError | ProtocolError> {
  if (response.status < 300)
    return Promise.resolve(
      new ProtocolError(`${action}: the server responded with ${response.status} instead of opening a WebSocket`),
    );
  return failureOf(response, readResponseInfo(response, 1), { action, method: "GET" }, { readable: [json()], clock });
}
