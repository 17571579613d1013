import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { ReflectorConfig } from "./reflector-config.js";
import type { ReflectorHistory } from "./reflector-state.js";

/** Returns the options of a list, or of its page `continueToken`: from the newest version seen, else from the server's cache or its latest state. */
export function listRequest(
  history: ReflectorHistory,
  continueToken: string | undefined,
  config: ReflectorConfig,
): ListOptions {
  // The reflector alone decides about retries and timeouts.
  const common: ListOptions = { ...config.selectors, ...decodeOf(config), retry: false, idleTimeoutMs: 0 };
  const limit = history.lostPages > 1 ? {} : { limit: config.pageSize };
  // The token carries the version, and servers reject a request with both.
  if (continueToken !== undefined) return { ...common, limit: config.pageSize, continue: continueToken };
  if (history.versionUnusable) return { ...common, ...limit };
  if (history.resourceVersion === undefined) {
    return config.initialConsistency === "any"
      ? { ...common, ...limit, resourceVersion: "0" }
      : { ...common, ...limit };
  }
  // Every server's cache can answer a list from a version only if it is not paged.
  const paged = config.alwaysPage || history.noWatchCache ? limit : {};
  return { ...common, ...paged, resourceVersion: history.resourceVersion, resourceVersionMatch: "NotOlderThan" };
}

/** Returns the options of a watch that sends the current objects first. */
export function streamRequest(history: ReflectorHistory, config: ReflectorConfig, random: number): WatchOptions {
  const version = history.versionUnusable
    ? undefined
    : (history.resourceVersion ?? (config.initialConsistency === "any" ? "0" : undefined));
  return {
    ...config.selectors,
    ...decodeOf(config),
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
    allowWatchBookmarks: true,
    ...(version === undefined ? {} : { resourceVersion: version }),
    timeoutSeconds: timeoutSeconds(config, random),
    retry: false,
  };
}

/** Returns the options of a watch that resumes after a version. */
export function watchRequest(resourceVersion: string, config: ReflectorConfig, random: number): WatchOptions {
  return {
    ...config.selectors,
    ...decodeOf(config),
    resourceVersion,
    allowWatchBookmarks: true,
    timeoutSeconds: timeoutSeconds(config, random),
    retry: false,
  };
}

/** Draws from the range, so that the watches of many clients do not end together. */
function timeoutSeconds(config: ReflectorConfig, random: number): number {
  const { min, max } = config.watchTimeoutSeconds;
  return Math.floor(min + (max - min) * random);
}

function decodeOf(config: ReflectorConfig): Pick<ListOptions, "decode"> {
  return config.decode === undefined ? {} : { decode: config.decode };
}
