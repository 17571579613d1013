import { respondStatus } from "../respond.js";
import { ApiFailure, PlainFailure, rawError } from "../status.js";
import type { RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";
import type { Filter } from "./filter.js";

/** The answer to a failure that was thrown. */
export function answerFailure(context: RequestContext, error: unknown): ServerResponse {
  if (error instanceof ApiFailure) return respondStatus(context, error.status, error.headers);
  if (error instanceof PlainFailure) return textResponse(error.code, error.message, error.headers);
  if (context.signal.aborted) throw error;
  return respondStatus(context, rawError(error instanceof Error ? error.message : String(error)).status);
}

/** Turns what is thrown below into answers. */
export const answerErrors: Filter = async (context, next) => {
  try {
    return await next(context);
  } catch (error) {
    return answerFailure(context, error);
  }
};
