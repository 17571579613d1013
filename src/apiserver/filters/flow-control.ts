import { pushAll } from "../../internal/push-all.js";
import type { FlowControl } from "../flowcontrol/flow-control.js";
import { isLongRunning, requestTimeoutMs } from "./deadline.js";
import type { Filter } from "./filter.js";

/**
 * Makes requests wait for seats of their priority level. They hold them until the response is written, if the adapter
 * reports that. Watches hold them only until they have sent the initial state; other streams need none.
 */
export function flowControl(control: FlowControl, timeoutMs: number): Filter {
  return async (context, next) => {
    const { info, user, query, request } = context;
    const endless = isLongRunning(info);
    if (endless && info.verb !== "watch") return next(context);
    const limitMs = endless ? timeoutMs : requestTimeoutMs(context, timeoutMs);
    const seat = await control.enter({ user, info, query }, limitMs, context);
    pushAll(context.headers, seat.headers);
    const release = (): void => seat.release();
    if (request.onWritten === undefined) {
      try {
        return await next(context);
      } finally {
        release();
      }
    }
    request.onWritten(release);
    if (endless) context.initialized = release;
    return next(context);
  };
}
