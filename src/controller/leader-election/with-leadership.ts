import { linkAbort } from "../../internal/abort.js";
import { createLeaderElector } from "./create-leader-elector.js";
import type { LeaderCallbacks, LeaderElectionOptions, Leadership } from "./leader-elector.js";

/** Options of `withLeadership`. */
export interface WithLeadershipOptions extends LeaderElectionOptions, Pick<LeaderCallbacks, "onNewLeader"> {
  /** Ends the waiting or the work: it rejects with the signal's reason unless the work resolves all the same. */
  readonly signal?: AbortSignal;
}

/**
 * Does something once this one leads, and gives the lease back when it is done. Resolves with its result. Rejects with what it rejects
 * with, and with a `LeadershipLostError` when the lease is lost meanwhile, whatever the work makes of its signal.
 */
export async function withLeadership<R>(
  options: WithLeadershipOptions,
  work: (signal: AbortSignal, leadership: Leadership) => Promise<R>,
): Promise<R> {
  const link = linkAbort(options.signal);
  let outcome: { readonly result: R } | undefined;
  const elector = createLeaderElector({
    ...options,
    async onStartedLeading(leadership) {
      outcome = { result: await work(leadership.signal, leadership) };
      link.abort();
    },
  });
  try {
    await elector.run({ signal: link.signal });
  } finally {
    link.release();
  }
  if (outcome === undefined) throw options.signal?.reason;
  return outcome.result;
}
