import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { Runnable } from "./manager.js";

/** Dependencies of `runGroup`. */
export interface RunGroupOptions {
  /** Asks the runnables to stop. */
  readonly signal: AbortSignal;
  /** Asks the runnables to abandon running work. */
  readonly abandon: AbortSignal;
  readonly informers: InformerFactory;
  /** Running runnables; the group adds and removes its members. */
  readonly active: Set<Runnable>;
  /** Receives errors other than the signal's reason. */
  readonly onFailed: (runnable: Runnable, error: unknown) => void;
}

/** Runs all members until each has ended. Never rejects. */
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
