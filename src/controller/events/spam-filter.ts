import type { Clock } from "../../internal/clock.js";

/** Interval at which another event about an object is allowed. */
const refillMs = 300_000;

/** Rate limit per key. */
export interface SpamFilter {
  /** Returns true if an event for this key is allowed, and counts it. */
  allows(key: string): boolean;
}

/**
 * Creates a filter that allows a burst per key and then one event every five minutes. It remembers at most `maxKeys`
 * keys.
 */
export function createSpamFilter(burst: number, maxKeys: number, clock: Clock): SpamFilter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    allows(key) {
      const now = clock.monotonic();
      const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now };
      const available = Math.min(burst, tokens + (now - at) / refillMs);
      const lets = available >= 1;
      buckets.delete(key);
      buckets.set(key, { tokens: lets ? available - 1 : available, at: now });
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value!);
      return lets;
    },
  };
}
