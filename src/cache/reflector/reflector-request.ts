import type { ListOptions, WatchOptions } from "../../meta/options.js";
import type { ReflectorConfig } from "./reflector-config.js";
import type { ReflectorState } from "./reflector-state.js";

/** What of the state decides about a request. */
type RequestState = Pick<
  ReflectorState,
  "resourceVersion" | "versionUnusable" | "noWatchCache" | "continue" | "lostPages"
>;

/** The list or page to ask for: from the newest version seen, else from the server's cache or its latest state. */
export function listRequest(state: RequestState, config: ReflectorConfig): ListOptions {
  // What is waited for, and for how long, is said by the reflector alone.
  const common: ListOptions = { ...config.selectors, ...decodeOf(config), retry: false, idleTimeoutMs: 0 };
  const limit = state.lostPages > 1 ? {} : { limit: config.pageSize };
  // The token carries the version, and servers refuse both together.
  if (state.continue !== undefined) return { ...common, limit: config.pageSize, continue: state.continue };
  if (state.versionUnusable) return { ...common, ...limit };
  if (state.resourceVersion === undefined) {
    return config.initialConsistency === "any"
      ? { ...common, ...limit, resourceVersion: "0" }
      : { ...common, ...limit };
  }
  // Only a list without pages from a version can be answered by every server's cache.
  const paged = config.alwaysPage || state.noWatchCache ? limit : {};
  return { ...common, ...paged, resourceVersion: state.resourceVersion, resourceVersionMatch: "NotOlderThan" };
}

/** The watch that begins with the present. */
export function streamRequest(state: RequestState, config: ReflectorConfig, random: number): WatchOptions {
  const version = state.versionUnusable
    ? undefined
    : (state.resourceVersion ?? (config.initialConsistency === "any" ? "0" : undefined));
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

/** The watch that goes on after a version. */
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

/** Spread, so that the watches of many clients do not end together. */
function timeoutSeconds(config: ReflectorConfig, random: number): number {
  const { min, max } = config.watchTimeoutSeconds;
  return Math.floor(min + (max - min) * random);
}

function decodeOf(config: ReflectorConfig): Pick<ListOptions, "decode"> {
  return config.decode === undefined ? {} : { decode: config.decode };
}
