import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { Runnable } from "./manager.js";

/** Dependencies of `runGroup`. */
export interface RunGroupOptions {
  /** Tells the runnables to end. */
  readonly signal: AbortSignal;
  /** Tells them to give up running calls at once. */
  readonly abandon: AbortSignal;
  readonly informers: InformerFactory;
  /** Runnables that have not ended; each is added and removed. */
  readonly active: Set<Runnable>;
  /** Takes an error other than the signal's reason. */
  readonly onFailed: (runnable: Runnable, error: unknown) => void;
}

/** Runs several until each has ended. Never rejects. */
export async function runGroup(group: readonly Runnable[], options: RunGroupOptions): Promise<void> {
  const { signal, abandon, informers, active, onFailed } = options;
  await Promise.all(
    group.map(async (runnable) => {
      active.add(runnable);
      try {
        await runnable.run({ signal, abandon, informers });
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) onFailed(runnable, error);
      } finally {
        active.delete(runnable);
      }
    }),
  );
}
