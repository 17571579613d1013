import type { LeaderElectionOptions } from "../../../src/controller/leader-election/leader-elector.js";
import { TransportError } from "../../../src/errors/errors.js";
import { whenAborted } from "../../../src/internal/abort.js";
import { type Clock, sleep } from "../../../src/internal/clock.js";

/** A candidate's way to the server, at its worst. */
export interface Network {
  /** The Leases, through it. */
  readonly leases: LeaderElectionOptions["leases"];
  /** Nothing gets through; whoever waits waits for ever. */
  cut: boolean;
  /** Requests arrive, answers do not: they are told as broken connections. */
  loseAnswers: boolean;
  /** What every request fails with. */
  fail: Error | undefined;
  /** How long requests and answers are under way, by the candidate's clock. */
  requestDelayMs: number;
  answerDelayMs: number;
  /** Requests under way. */
  readonly underWay: number;
}

/** Puts a network between a candidate and Leases. A request that was given up may still arrive. */
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
      // A cut network settles nothing: the signal is what ends the wait, and leaves no listener.
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
