import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { ReflectorConfig } from "./reflector-config.js";
import type { ReflectorHistory } from "./reflector-state.js";

/**
 * Returns the options of a list request, or of its next page if `continueToken` is given. The list starts from the
 * newest known version; without one it requests the server's cache or the latest state, as configured.
 */
export function listRequest(
  history: ReflectorHistory,
  continueToken: string | undefined,
  config: ReflectorConfig,
): ListOptions {
  // The reflector has a watchdog of its own.
  const common: ListOptions = { ...config.request, idleTimeoutMs: 0 };
  const limit = history.lostPages > 1 ? {} : { limit: config.pageSize };
  // The token contains the version, and servers reject a request with both.
  if (continueToken !== undefined) return { ...common, limit: config.pageSize, continue: continueToken };
  if (history.versionUnusable) return { ...common, ...limit };
  if (history.resourceVersion === undefined) {
    return config.initialConsistency === "any"
      ? { ...common, ...limit, resourceVersion: "0" }
      : { ...common, ...limit };
  }
  // The server's cache can only answer an unpaged list from a version.
  const paged = config.alwaysPage || history.noWatchCache ? limit : {};
  return { ...common, ...paged, resourceVersion: history.resourceVersion, resourceVersionMatch: "NotOlderThan" };
}

/** Returns the options of a watch that sends the current objects first (a streaming list). */
export function streamRequest(history: ReflectorHistory, config: ReflectorConfig, random: number): WatchOptions {
  const version = history.versionUnusable
    ? undefined
    : (history.resourceVersion ?? (config.initialConsistency === "any" ? "0" : undefined));
  return {
    ...config.request,
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
    allowWatchBookmarks: true,
    resourceVersion: version,
    timeoutSeconds: timeoutSeconds(config, random),
  };
}

/** Returns the options of a watch that resumes after a version. */
export function watchRequest(resourceVersion: string, config: ReflectorConfig, random: number): WatchOptions {
  return {
    ...config.request,
    resourceVersion,
    allowWatchBookmarks: config.bookmarks,
    timeoutSeconds: timeoutSeconds(config, random),
  };
}

/** Draws a random timeout, so that the watches of many clients don't end together. */
function timeoutSeconds(config: ReflectorConfig, random: number): number {
  const { min, max } = config.watchTimeoutSeconds;
  return Math.floor(min + (max - min) * random);
}
