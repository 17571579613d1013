import type { Clock } from "../internal/clock.js";

/** Connections that browsers open to one server with HTTP/1.1. */
const browserLimit = 6;
/** Milliseconds after which a request that waits for a connection is reported. */
const patienceMs = 5_000;

/** Unfinished responses of all transports by origin, and the origins that were reported. */
const unfinished = new Map<string, number>();
const reported = new Set<string>();

/** One request of a page. Each function counts once. */
export interface PageRequest {
  /** The response has begun. */
  began(): void;
  /** The response has ended, or the request failed. */
  ended(): void;
}

const unobserved: PageRequest = { began: () => undefined, ended: () => undefined };

/**
 * Observes a page's requests to an origin. With HTTP/1.1, six watches hold all of a browser's connections, and every
 * other request waits without an error; the first one that does is reported with `warn`, once per origin.
 */
export function observeRequest(origin: string, clock: Clock, warn: (message: string) => void): PageRequest {
  if (typeof globalThis.location !== "object") return unobserved;
  const count = (by: number): void => {
    const value = (unfinished.get(origin) ?? 0) + by;
    if (value === 0) unfinished.delete(origin);
    else unfinished.set(origin, value);
  };
  const starved = (): boolean => (unfinished.get(origin) ?? 0) >= browserLimit && !reported.has(origin);
  const timer = starved()
    ? clock.setTimer(() => {
        if (!starved() || isMultiplexed(origin)) return;
        reported.add(origin);
        warn(
          `kubestream: ${unfinished.get(origin)} open responses hold all connections that the browser has to ${origin} over HTTP/1.1, so other requests wait; serve it over HTTP/2, or use kubestream/mux`,
        );
      }, patienceMs)
    : undefined;
  let state: "waiting" | "begun" | "ended" = "waiting";
  return {
    began() {
      timer?.cancel();
      if (state !== "waiting") return;
      state = "begun";
      count(1);
    },
    ended() {
      timer?.cancel();
      if (state === "begun") count(-1);
      state = "ended";
    },
  };
}

/** True if the browser says that it spoke HTTP/2 or HTTP/3 with the origin, which have no such limit. */
function isMultiplexed(origin: string): boolean {
  const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  return entries.some(({ name, nextHopProtocol }) => name.startsWith(`${origin}/`) && /^h[23]/.test(nextHopProtocol));
}
