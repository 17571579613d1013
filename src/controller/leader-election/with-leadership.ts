import { linkAbort } from "../../internal/abort.js";
import { createLeaderElector } from "./create-leader-elector.js";
import type { LeaderCallbacks, LeaderElectionOptions, Leadership } from "./leader-elector.js";

/** Options for `withLeadership`. */
export interface WithLeadershipOptions extends LeaderElectionOptions, Pick<LeaderCallbacks, "onNewLeader"> {
  /** Cancels the wait or the work. The call then rejects with `signal.reason`, unless the work still resolves. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for leadership, runs `work`, releases the lease and returns the result. Rejects with the error of the work, and
 * with a `LeadershipLostError` if the lease is lost, even if the work ignores its signal.
 *
 * @example
 * ```ts
 * import { withLeadership } from "kubestream/controller";
 * import { Lease } from "kubestream/kinds/coordination/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const leases = client.resource(Lease).namespace("default");
 * await withLeadership({ leases, name: "migration" }, async (signal, { term }) => {
 *   console.log("migrating, fencing token", term);
 *   signal.throwIfAborted();
 * });
 * ```
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
