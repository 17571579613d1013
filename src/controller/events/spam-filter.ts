import type { Clock } from "../../internal/clock.js";

/** One more event about an object is let through so often. */
const refillMs = 300_000;

/** Says whether there are not too many of something. */
export interface SpamFilter {
  /** Whether one more of a key is let through; notes that it is. */
  allows(key: string): boolean;
}

/** Makes a filter that lets a burst of each key through, and then one every five minutes. It remembers so many keys. */
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
      if (buckets.size > maxKeys)
        for (const oldest of buckets.keys()) {
          buckets.delete(oldest);
          break;
        }
      return lets;
    },
  };
}
