import { linkAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { CacheSyncError } from "./controller-errors.js";
import type { RunningSource, Source } from "./source.js";

/** A source with what runs of it. */
export interface StartedSource {
  /** The source. */
  readonly source: Source;
  /** What runs of it. */
  readonly running: RunningSource;
}

/**
 * Waits until all of several sources have told the present. A server that refuses is asked again until the time is over, as
 * a kind may be defined yet; then it rejects with a `CacheSyncError` that names what is missing.
 */
export async function waitForSources(
  who: string,
  sources: readonly StartedSource[],
  options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly clock: Clock },
  onSynced?: (missing: readonly string[]) => void,
): Promise<void> {
  const { timeoutMs, signal, clock } = options;
  const missing = new Set(sources);
  const link = linkAbort(signal);
  let refusal: unknown;
  let over = false;
  const timer = clock.setTimer(() => {
    over = true;
    link.abort();
  }, timeoutMs);
  const names = (): string[] => Array.from(missing, ({ source }) => source.description);
  const one = async (started: StartedSource): Promise<void> => {
    for (;;) {
      try {
        await started.running.synced({ signal: link.signal });
        missing.delete(started);
        onSynced?.(names());
        return;
      } catch (error) {
        if (link.signal.aborted) throw error;
        refusal ??= error;
        // A source that cannot be waited for any longer will not come back.
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
      `${who}: no cache of ${names().join(", ")}${over ? ` after ${timeoutMs} ms` : ""}${why}`,
      names(),
      { cause: last },
    );
  } finally {
    timer.cancel();
    link.abort();
  }
}
