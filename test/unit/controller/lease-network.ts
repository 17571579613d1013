import type { LeaderElectionOptions } from "../../../src/controller/leader-election/leader-elector.js";
import { TransportError } from "../../../src/errors/errors.js";
import { whenAborted } from "../../../src/internal/abort.js";
import { type Clock, sleep } from "../../../src/internal/clock.js";

/** A candidate's connection to the server, with faults. */
export interface Network {
  /** Handle for Leases through this network. */
  readonly leases: LeaderElectionOptions["leases"];
  /** Drops everything; pending requests hang. */
  cut: boolean;
  /** Delivers requests and drops responses, which look like broken connections. */
  loseAnswers: boolean;
  /** Error with which every request fails. */
  fail: Error | undefined;
  /** Latency of requests and responses, by the candidate's clock. */
  requestDelayMs: number;
  answerDelayMs: number;
  /** Requests in progress. */
  readonly underWay: number;
}

/** Creates a network between a candidate and the Leases. An aborted request may still arrive. */
export function createNetwork(leases: LeaderElectionOptions["leases"], clock: Clock): Network {
  let underWay = 0;
  const over = async <R>(signal: AbortSignal | undefined, request: () => Promise<R>): Promise<R> => {
    const arrival = async (): Promise<R> => {
      if (network.requestDelayMs > 0) await sleep(network.requestDelayMs, clock);
      if (network.cut) return new Promise(() => undefined);
      if (network.fail !== undefined) throw network.fail;
      underWay++;
      const answer = await request().finally(() => underWay--);
      if (network.answerDelayMs > 0) await sleep(network.answerDelayMs, clock);
      if (network.cut) return new Promise(() => undefined);
      if (network.loseAnswers) throw new TransportError("connection reset", { code: "ECONNRESET" });
      return answer;
    };
    return new Promise((resolve, reject) => {
      const unfollow = signal && whenAborted(signal, () => reject(signal.reason as Error));
      arrival()
        .then(resolve, reject)
        .finally(() => unfollow?.());
      // On a cut network nothing settles. The signal ends the wait and leaves no listener behind.
    });
  };
  const network: Network = {
    leases: {
      description: leases.description,
      get: (name, options) => over(options?.signal, () => leases.get(name)),
      create: (object, options) => over(options?.signal, () => leases.create(object)),
      update: ((object: Parameters<typeof leases.create>[0], options?: { signal?: AbortSignal }) =>
        over(options?.signal, () => leases.update(object))) as typeof leases.update,
    },
    cut: false,
    loseAnswers: false,
    fail: undefined,
    requestDelayMs: 0,
    answerDelayMs: 0,
    get underWay() {
      return underWay;
    },
  };
  return network;
}
