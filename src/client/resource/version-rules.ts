import type { ListOptions, WatchOptions } from "../../meta/options.js";

/**
 * Refuses combinations of options that the API calls invalid, before anything is sent. Throws a `TypeError` or
 * `RangeError`.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter
 */
export function checkListOptions(options: ListOptions): void {
  const { resourceVersion = "", resourceVersionMatch: match, limit } = options;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new RangeError(`limit must be a whole number from 0 on, not ${limit}`);
  checkSeconds(options.timeoutSeconds);
  if (match !== undefined && match !== "Exact" && match !== "NotOlderThan")
    throw new TypeError(`resourceVersionMatch must be "Exact" or "NotOlderThan", not ${JSON.stringify(match)}`);
  if (options.continue !== undefined && options.continue !== "") {
    if (match !== undefined)
      throw new TypeError(
        "resourceVersionMatch must not be set together with continue: the token says which version it is of",
      );
    if (resourceVersion !== "" && resourceVersion !== "0")
      throw new TypeError(
        "resourceVersion must not be set together with continue: the token says which version it is of",
      );
    return;
  }
  if (match === undefined) return;
  if (resourceVersion === "") throw new TypeError("resourceVersionMatch needs a resourceVersion");
  if (match === "Exact" && resourceVersion === "0")
    throw new TypeError('resourceVersionMatch "Exact" needs a resourceVersion other than "0"');
}

/** As `checkListOptions`, for a watch. */
export function checkWatchOptions(options: WatchOptions): void {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  checkSeconds(options.timeoutSeconds);
  if (sendInitialEvents === undefined) {
    if (match !== undefined) throw new TypeError("resourceVersionMatch of a watch needs sendInitialEvents");
  } else if (match !== "NotOlderThan")
    throw new TypeError('sendInitialEvents needs resourceVersionMatch "NotOlderThan"');
}

function checkSeconds(seconds: number | undefined): void {
  if (seconds !== undefined && !(Number.isSafeInteger(seconds) && seconds >= 0))
    throw new RangeError(`timeoutSeconds must be a whole number from 0 on, not ${seconds}`);
}
