import type { ListOptions, WatchOptions } from "../../meta/options.js";

/**
 * Rejects combinations of list options that the API treats as invalid, before a request is sent. Throws a `TypeError`
 * or `RangeError`.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter
 */
export function checkListOptions(options: ListOptions): void {
  const { resourceVersion = "", resourceVersionMatch: match, limit } = options;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new RangeError(`limit must be a non-negative integer, not ${limit}`);
  checkSeconds(options.timeoutSeconds);
  if (match !== undefined && match !== "Exact" && match !== "NotOlderThan")
    throw new TypeError(`resourceVersionMatch must be "Exact" or "NotOlderThan", not ${JSON.stringify(match)}`);
  if (options.continue !== undefined && options.continue !== "") {
    if (match !== undefined)
      throw new TypeError(
        "resourceVersionMatch must not be combined with continue: the token already determines the version",
      );
    if (resourceVersion !== "" && resourceVersion !== "0")
      throw new TypeError(
        "resourceVersion must not be combined with continue: the token already determines the version",
      );
    return;
  }
  if (match === undefined) return;
  if (resourceVersion === "") throw new TypeError("resourceVersionMatch requires resourceVersion");
  if (match === "Exact" && resourceVersion === "0")
    throw new TypeError('resourceVersionMatch "Exact" requires a resourceVersion other than "0"');
}

/** Does the same as `checkListOptions` for a watch. */
export function checkWatchOptions(options: WatchOptions): void {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  checkSeconds(options.timeoutSeconds);
  if (sendInitialEvents === undefined) {
    if (match !== undefined) throw new TypeError("watch: resourceVersionMatch requires sendInitialEvents");
  } else if (match !== "NotOlderThan")
    throw new TypeError('watch: sendInitialEvents requires resourceVersionMatch "NotOlderThan"');
}

function checkSeconds(seconds: number | undefined): void {
  if (seconds !== undefined && !(Number.isSafeInteger(seconds) && seconds >= 0))
    throw new RangeError(`timeoutSeconds must be a non-negative integer, not ${seconds}`);
}
