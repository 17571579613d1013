/** First pause in milliseconds after a failed pod is replaced. It doubles with each further failure. */
const firstPauseMs = 1_000;
const longestPauseMs = 900_000;
/** Time in milliseconds after a replacement after which the pauses start again. */
const stableMs = 2 * longestPauseMs;

/** Pauses between the failed pods of nodes and their replacements, for nodes that refuse the pod again and again. */
export interface FailedPods {
  /** Returns the time in milliseconds until the failed pod of a node may be replaced. 0 counts as a replacement. */
  pauseMs(node: string, nowMs: number): number;
}

/** Creates the pauses of all nodes. */
export function createFailedPods(): FailedPods {
  const replaced = new Map<string, { readonly pauseMs: number; readonly atMs: number }>();
  return {
    pauseMs(node, nowMs) {
      for (const [key, { atMs }] of replaced) if (nowMs - atMs > stableMs) replaced.delete(key);
      const last = replaced.get(node);
      const leftMs = last === undefined ? 0 : last.atMs + last.pauseMs - nowMs;
      if (leftMs > 0) return leftMs;
      const pauseMs = last === undefined ? firstPauseMs : Math.min(2 * last.pauseMs, longestPauseMs);
      replaced.set(node, { pauseMs, atMs: nowMs });
      return 0;
    },
  };
}
