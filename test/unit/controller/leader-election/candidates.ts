import { createLeaderElector } from "../../../../src/controller/leader-election/create-leader-elector.js";
import type {
  LeaderCallbacks,
  LeaderElectionOptions,
  LeaderElector,
  Leadership,
} from "../../../../src/controller/leader-election/leader-elector.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import type { Clock } from "../../../../src/internal/clock.js";
import { Lease } from "../../../../src/kinds/coordination/v1.js";
import { settle, type VirtualClock } from "../../../support/virtual-clock.js";
import { createNetwork, type Network } from "../lease-network.js";
import { openWorld } from "../world.js";

/** A candidate for the lease `lock`, and what its callbacks received. */
export interface Candidate {
  readonly elector: LeaderElector;
  readonly network: Network;
  readonly terms: Leadership[];
  readonly received: string[];
  readonly entries: LogEntry[];
  /** Cancels the candidate; `ended` resolves with the outcome of `run`. */
  cancel(): void;
  readonly ended: Promise<unknown>;
}

/** Starts a candidate that reaches the server through a network of its own. */
export function begin(
  world: ReturnType<typeof openWorld>,
  clock: Clock,
  identity: string,
  options: Partial<LeaderElectionOptions & LeaderCallbacks> = {},
): Candidate {
  const network = createNetwork(world.client.resource(Lease).namespace("default"), clock);
  const terms: Leadership[] = [];
  const received: string[] = [];
  const entries: LogEntry[] = [];
  const abort = new AbortController();
  const elector = createLeaderElector({
    leases: network.leases,
    name: "lock",
    identity,
    clock,
    random: () => 0,
    log: (entry) => entries.push(entry),
    onNewLeader: (leader) => received.push(`leader ${leader}`),
    onStoppedLeading: () => received.push("stopped"),
    ...options,
    onStartedLeading(leadership) {
      terms.push(leadership);
      received.push(`term ${String(leadership.term)}`);
      return options.onStartedLeading?.(leadership);
    },
  });
  return {
    elector,
    network,
    terms,
    received,
    entries,
    cancel: () => abort.abort(new RangeError("cancelled")),
    ended: elector.run({ signal: abort.signal }).then(
      () => undefined,
      (error: unknown) => error,
    ),
  };
}

/** Advances the clock in small steps and answers all requests in between. */
export async function advance(clock: VirtualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 200) {
    await clock.advance(Math.min(200, left));
    for (let turn = 0; turn < 6; turn++) await settle();
  }
}

/** Leases of the namespace in which the candidates compete. */
export const lease = (world: ReturnType<typeof openWorld>) => world.client.resource(Lease).namespace("default");
/** Returns the current spec of the lease. */
export const specNow = async (world: ReturnType<typeof openWorld>) => (await lease(world).get("lock")).spec!;
