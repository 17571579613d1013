import { ApiFailure, badRequest, PlainFailure, rawError } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { textResponse } from "../http/http.js";
import { respondStatus } from "../wire/respond.js";
import type { Filter, FilterContext } from "./filter.js";

/** Creates the response for a thrown error. */
export function answerFailure(context: FilterContext, error: unknown): ServerResponse {
  if (error instanceof ApiFailure) return respondStatus(context, error.status, error.headers, error.byRoute);
  if (error instanceof PlainFailure) return textResponse(error.code, error.message, error.headers);
  if (context.signal().aborted) throw error;
  // The object was too deep for the engine's stack; nothing has been stored.
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return respondStatus(context, badRequest("the object is nested too deeply").status);
  return respondStatus(context, rawError(error instanceof Error ? error.message : String(error)).status);
}

/** Converts thrown errors into responses. */
export const answerErrors: Filter = async (context, next) => {
  try {
    return await next(context);
  } catch (error) {
    return answerFailure(context, error);
  }
};
