import { linkAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { CacheSyncError } from "./controller-errors.js";
import type { RunningSource, Source } from "./source.js";

/** A source and its running instance. */
export interface StartedSource {
  readonly source: Source;
  readonly running: RunningSource;
  /** True once the source was removed: it needn't be waited for. */
  removed?: boolean;
}

/** Limits of a wait. */
export interface WaitLimits {
  /** Time limit in milliseconds, from the start of the first wait. */
  readonly timeoutMs: number;
  /** Part of that time that has passed. Default 0. */
  readonly waitedMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Waits until all sources have delivered their initial objects. Refusals are retried until the timeout, because a kind
 * may still be defined. Rejects with a `CacheSyncError` that names the missing collections.
 */
export async function waitForSources(
  who: string,
  sources: readonly StartedSource[],
  options: WaitLimits,
  onSynced?: (missing: readonly string[]) => void,
): Promise<void> {
  const { timeoutMs, waitedMs = 0, signal, clock } = options;
  const missing = new Set(sources);
  const link = linkAbort(signal);
  let refusal: unknown;
  let over = false;
  const timer = clock.setTimer(() => {
    over = true;
    link.abort();
  }, timeoutMs - waitedMs);
  const names = (): string[] => Array.from(missing, ({ source }) => source.description);
  const one = async (started: StartedSource): Promise<void> => {
    for (;;) {
      try {
        if (started.removed !== true) await started.running.synced({ signal: link.signal });
        missing.delete(started);
        onSynced?.(names());
        return;
      } catch (error) {
        if (link.signal.aborted) throw error;
        if (started.removed === true) continue;
        refusal ??= error;
        // A source that cannot be waited for any longer won't recover.
        if (started.running.informer?.status.type === "closed" || started.running.informer === undefined) throw error;
      }
    }
  };
  try {
    await Promise.all(sources.map(one));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const last =
      [...missing].map(({ running }) => running.informer?.lastError).find((each) => each !== undefined) ??
      refusal ??
      (over ? undefined : error);
    const why = last instanceof Error ? `: ${last.message}` : "";
    throw new CacheSyncError(
      `${who}: cache not synced${over ? ` after ${timeoutMs} ms` : ""}: ${names().join(", ")}${why}`,
      names(),
      { cause: last },
    );
  } finally {
    timer.cancel();
    link.abort();
  }
}
