import type { FlowControl } from "../flowcontrol/flow-control.js";
import { defaultTimeoutMs, isLongRunning, requestTimeoutMs } from "./deadline.js";
import type { Filter } from "./filter.js";

/**
 * Makes requests wait for a seat of their priority level. Watches hold a seat only until they have started; other
 * streams need none.
 */
export function flowControl(control: FlowControl): Filter {
  return async (context, next) => {
    const { info } = context;
    const endless = isLongRunning(info);
    if (endless && info.verb !== "watch") return next(context);
    const seat = await control.enter(
      context.user,
      info,
      endless ? defaultTimeoutMs : requestTimeoutMs(context),
      context.signal,
    );
    context.headers.push(...seat.headers);
    try {
      return await next(context);
    } finally {
      seat.release();
    }
  };
}
